//===- WpaPasses.h - Run the passes of whole-program analysis ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_WPA_WPAPASSES_H
#define GPULTO_LTO_WPA_WPAPASSES_H

#include "icf/Fold.h"
#include "ipa/callers/Callers.h"
#include "ipa/pointers/KnownValues.h"
#include "lto/tables/FoldTable.h"
#include "lto/tables/InlineTable.h"
#include "summary/CallGraph.h"
#include "summary/CombinedSummary.h"
#include "summary/WpaContext.h"
#include "support/Statistics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace gpulto {

/// Numbers of host functions in the table of folds: of leaders, and of
/// functions that are folded into them or jump. Looked up only.
using FoldNumbers = llvm::DenseMap<GlobalId, uint32_t>;

/// The data that the passes of one link work on.
struct WpaState {
  /// Resolved. Folding changes the meaning of its symbols, and thus the graph.
  CombinedSummary &program;
  CallGraph &graph;
  /// Refers to both; holds the decisions.
  WpaContext &context;
  const FoldOptions &icf;
  Statistics &statistics;
  /// Set from visibility on.
  std::unique_ptr<Callers> callers{};
  /// From constants on, if they are trusted.
  std::unique_ptr<KnownValues> values{};
  FoldTable folds{};
  FoldNumbers foldNumbers{};
  InlineTable inlining{};
};

/// Runs all passes of lto/link/Passes.def over \p state, in order. The time of
/// each is counted as `wpa-NAME`. Errors: those of visibility.
llvm::Error propagateAll(WpaState &state);

} // namespace gpulto

#endif
