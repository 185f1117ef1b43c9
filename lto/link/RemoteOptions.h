//===- RemoteOptions.h - How LTRANS jobs reach other machines ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LINK_REMOTEOPTIONS_H
#define GPULTO_LTO_LINK_REMOTEOPTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpulto {

enum class BuildFileKind : uint8_t { None, Ninja, Make };

/// The user's options for running jobs elsewhere; at most one of distributor,
/// emit and resultsDirectory is set. If none is, the jobs run here.
struct RemoteOptions {
  /// Path of `gpulto`, whose command `ltrans` runs a job. It is the same on all
  /// machines.
  std::string program;
  /// Path of a program that runs jobs; see lto/run/Distributor.h.
  std::string distributor;
  std::vector<std::string> distributorArguments; ///< before the file of jobs
  /// Write the jobs and a build file instead of making a program.
  BuildFileKind emit = BuildFileKind::None;
  /// The linker and its arguments, to run after the jobs of the build file.
  /// Empty: this door cannot emit.
  std::vector<std::string> linkCommand;
  /// Where the jobs of a build file put their results.
  std::string resultsDirectory;
  /// Where jobs and results lie, visible to all machines. With emit, the
  /// directory itself, absolute; otherwise one is made in it for the duration
  /// of the link, or next to the output if this is empty.
  std::string jobDirectory;
};

} // namespace gpulto

#endif
