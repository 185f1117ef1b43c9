//===- CallGraph.h - Calls and references across launches -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// One graph over host and device definitions. Host functions reach kernels
// through the stubs that launch them: a stub, and the shadow of a device
// variable, has an edge to its counterpart in the image of every architecture.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_SUMMARY_CALLGRAPH_H
#define GPULTO_SUMMARY_CALLGRAPH_H

#include "summary/Ids.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace gpulto {

class CombinedSummary;

enum class EdgeKind : uint8_t {
  Call,
  /// Reads, writes or takes the address.
  Reference,
  /// An alias to its aliasee, an ifunc to its resolver.
  Alias,
  /// A stub to its kernel, a shadow to its device variable.
  Device,
};

struct GraphEdge {
  GlobalId target = kNone;
  EdgeKind kind = EdgeKind::Reference;
  uint32_t flags = 0; // CallFlag or ReferenceFlag
  uint32_t frequency = 256;
};

class CallGraph {
public:
  /// Builds the edges of every prevailing definition of \p program. Linear in
  /// the size of the summaries.
  explicit CallGraph(const CombinedSummary &program, unsigned threads = 1);

  /// Edges of definition \p id in the order of its summary; empty for
  /// declarations and for definitions that do not prevail.
  llvm::ArrayRef<GraphEdge> edges(GlobalId id) const {
    return llvm::ArrayRef(table).slice(first[id], first[id + 1] - first[id]);
  }
  size_t edgeCount() const { return table.size(); }

private:
  std::vector<uint32_t> first;
  std::vector<GraphEdge> table;
};

} // namespace gpulto

#endif
