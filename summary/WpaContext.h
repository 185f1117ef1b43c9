//===- WpaContext.h - What every pass of WPA sees ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_WPACONTEXT_H
#define GPULTO_SUMMARY_WPACONTEXT_H

#include "summary/AnalysisOptions.h"
#include "summary/CallGraph.h"
#include "summary/CombinedSummary.h"
#include "summary/Decisions.h"
#include "summary/NativeCode.h"
#include "support/Diagnostics.h"
#include "support/Params.h"

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
  AnalysisOptions options{};
  NativeHostCode native{};
  /// One of NativeHostCode::runtime that the program uses and that is another
  /// here, as findReplacedRuntime says.
  std::string replacedRuntime{};
  /// How many threads a pass may use. No decision depends on it.
  unsigned threads = 1;
};

} // namespace gpulto

#endif
