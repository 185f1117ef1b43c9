//===- Graphs.h - What becomes of graphs of kernels -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_GRAPHS_H
#define GPULTO_IPA_CALLERS_GRAPHS_H

#include "summary/WpaContext.h"

namespace gpulto {

/// Whether bitcode captures streams into graphs.
bool capturesLaunches(const CombinedSummary &program);

/// Whether bitcode may change the parameters with which a node was added to a
/// graph. A mention of such an API function anywhere in host bitcode counts.
bool mayChangeGraphs(const CombinedSummary &program);

/// Whether unseen code (native objects, shared libraries, callers of this one)
/// may get a graph that bitcode makes, and change its nodes.
bool mayHandOutGraphs(const WpaContext &context);

} // namespace gpulto

#endif
