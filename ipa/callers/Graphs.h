//===- Graphs.h - What becomes of graphs of kernels -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_GRAPHS_H
#define GPULTO_IPA_CALLERS_GRAPHS_H

#include "summary/WpaContext.h"

namespace gpulto {

/// Whether bitcode makes graphs of what streams were given.
bool capturesLaunches(const CombinedSummary &program);

/// Whether bitcode may give a node of a graph other parameters than it was
/// added with. A name of an API function anywhere in host bitcode counts.
bool mayChangeGraphs(const CombinedSummary &program);

/// Whether code that is not seen may get hold of a graph that bitcode makes,
/// and change nodes of it: native objects, shared libraries, what calls this
/// one.
bool mayHandOutGraphs(const WpaContext &context);

} // namespace gpulto

#endif
