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

/// clang's driver, which behaves like the installed clang: it finds the same
/// headers, libraries and programs. Its commands run this program.
class ClangDriver {
public:
  /// \p words: the command line with the program's name. Adds the mode that the
  /// name implies (clang++); \p words must live as long as this. \p messages:
  /// where diagnostics go.
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

/// Returns the command for clang, without words.
Command clangCommand(const Installation &installation);

/// Does what clang does when called with \p argv. The installed clang, if there
/// is one, does what this one cannot (load plugins for clang). Returns the exit
/// status.
int runClang(llvm::ArrayRef<const char *> argv,
             const Installation &installation);

/// Compiles like `clang -cc1` with \p words, those after -cc1. \p program: the
/// name under which this was called. Returns the exit status.
int runFrontend(llvm::ArrayRef<const char *> words, const char *program,
                const Installation &installation);

/// Assembles like `clang -cc1as` with \p words, those after -cc1as. Returns the
/// exit status.
int runAssembler(llvm::ArrayRef<const char *> words);

/// Whether LGEN is part of this program, and not a plugin that it loads.
bool hasLgenInside();

} // namespace gpulto::driver

#endif
