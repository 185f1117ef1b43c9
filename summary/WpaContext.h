//===- WpaContext.h - What every pass of WPA sees ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_WPACONTEXT_H
#define GPULTO_SUMMARY_WPACONTEXT_H

#include "summary/CallGraph.h"
#include "summary/CombinedSummary.h"
#include "summary/Decisions.h"
#include "support/Diagnostics.h"
#include "support/Params.h"

#include <set>
#include <string>

namespace gpulto {

/// The state that travels through the propagate stages. Owned by lto/wpa/Wpa.
struct WpaContext {
  const CombinedSummary &program;
  const CallGraph &graph;
  const Params &params;
  Diagnostics &diagnostics;
  /// `-r`: everything stays visible.
  bool isRelocatable = false;
  Decisions decisions;
  /// Kernels may get versions that the host chooses at the launch.
  bool guardsKernels = false;
  /// The user's word that code which is not seen runs nodes of graphs with the
  /// parameters that the program gave them.
  bool areNodesUnchanged = false;
  /// What native code is linked that may use the device and is no library of
  /// the system, as a clause; empty: there is none.
  std::string foreignCode{};
  /// Names of CUDA's runtime that native code of the program defines.
  std::set<std::string> nativeRuntime{};
  /// Names like those of CUDA that such code uses.
  std::set<std::string> nativeUses{};
  /// One of nativeRuntime that the program uses and that is another here, as
  /// findReplacedRuntime says.
  std::string replacedRuntime{};
  /// How many threads a pass may use. No decision depends on it.
  unsigned threads = 1;
};

} // namespace gpulto

#endif
