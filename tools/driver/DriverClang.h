//===- DriverClang.h - clang inside the driver ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERCLANG_H
#define GPULTO_TOOLS_DRIVER_DRIVERCLANG_H

#include "tools/driver/DriverCuda.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Driver/Driver.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <memory>

namespace llvm {
class raw_ostream;
}

namespace gpulto::driver {

/// clang's driver as it is in the clang that is installed: it finds the same
/// headers, libraries and programs. Commands that it makes run this program.
class ClangDriver {
public:
  /// \p words: the command line with the program's name. The mode that the name
  /// stands for (clang++) is added to it; it must live as long as this.
  /// \p messages: where diagnostics go.
  ClangDriver(llvm::SmallVectorImpl<const char *> &words,
              const Installation &installation, llvm::raw_ostream &messages);

  clang::driver::Driver &operator*() { return driver; }
  clang::driver::Driver *operator->() { return &driver; }
  clang::DiagnosticsEngine &engine() { return diagnostics; }

private:
  std::unique_ptr<clang::DiagnosticOptions> options;
  clang::DiagnosticsEngine diagnostics;
  clang::driver::Driver driver;
};

/// Returns a command that is clang, without words.
Command clangCommand(const Installation &installation);

/// Does what clang does when it is called with \p argv. What this clang cannot
/// do (load plugins for clang, assemble) the installed one does.
/// Returns the exit status.
int runClang(llvm::ArrayRef<const char *> argv,
             const Installation &installation);

/// Compiles as `clang -cc1` does with \p words, those after -cc1.
/// \p program: the name that this was called by. Returns the exit status.
int runFrontend(llvm::ArrayRef<const char *> words, const char *program,
                const Installation &installation);

} // namespace gpulto::driver

#endif
