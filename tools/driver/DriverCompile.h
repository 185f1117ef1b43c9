//===- DriverCompile.h - LGEN: one source to one fat object -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_TOOLS_DRIVER_DRIVERCOMPILE_H
#define GPULTO_TOOLS_DRIVER_DRIVERCOMPILE_H

#include "tools/driver/DriverArchitectures.h"
#include "tools/driver/DriverCommandLine.h"
#include "tools/driver/DriverCuda.h"
#include "tools/driver/DriverObject.h"
#include "tools/driver/DriverProcess.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulto::driver {

/// Data shared by all compiles of one command line.
struct CompileContext {
  const CommandLine &line;
  const Installation &installation;
  CudaToolkit toolkit;
  std::vector<std::string> architectures; ///< empty: no CUDA input
  /// For each architecture; see OffloadArchitectures.
  std::vector<std::optional<EmbedKind>> forms;
  /// Objects are temporary: a link follows in the same call.
  bool linkFollows = false;
};

/// The commands that turn one source into one object.
struct CompilePlan {
  std::vector<Command> devices; ///< one per architecture
  Command host;
  ObjectFiles files;
  std::string output;
  /// False for assembly and --cuda-device-only: clang's object is left
  /// unchanged.
  bool isFat = true;
  /// Dependency files to complete, see mergeDependencies; empty: none wanted.
  std::string hostDependencies;
  std::vector<std::string> deviceDependencies;
};

/// Plans the compile of \p input to \p output; intermediate files are named
/// \p temporary plus something. Errors: an unreadable source.
llvm::Expected<CompilePlan> planCompile(const CompileContext &context,
                                        const DriverInput &input,
                                        const std::string &output,
                                        const std::string &temporary);

/// Prints what \p plan would run, for -### and --gpulto-verbose.
void printPlan(llvm::raw_ostream &os, const CompilePlan &plan);

/// Runs \p plan. Returns the exit status of the first command that failed.
/// After a failure, and after a signal, there is no output.
llvm::Expected<int> runCompile(const CompilePlan &plan, const JobLimit &limit);

/// Adds to the dependency file \p hostFile (make syntax, as clang writes it)
/// the prerequisites that only \p deviceFiles name: headers included under
/// __CUDA_ARCH__. Errors: an unreadable or unwritable file.
llvm::Error mergeDependencies(const std::string &hostFile,
                              llvm::ArrayRef<std::string> deviceFiles);

} // namespace gpulto::driver

#endif
