//===- SharedOrder.h - A sequence ordered by what is shared -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_SHAREDORDER_H
#define GPULTO_PARTITIONER_SHAREDORDER_H

#include "partitioner/Hypergraph.h"

#include <cstdint>
#include <vector>

namespace gpulto {

/// Returns all vertices of \p graph as a sequence in which those with the same
/// rare nets are next to each other. The place of a vertex among the others
/// depends only on its own nets, so adding or removing a net moves only the
/// vertices that it joins.
std::vector<uint32_t> findSharedOrder(const Hypergraph &graph);

} // namespace gpulto

#endif // GPULTO_PARTITIONER_SHAREDORDER_H
