//===- Needs.h - What a definition refers to --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_PARTITIONER_NEEDS_H
#define GPULTO_PARTITIONER_NEEDS_H

#include "summary/WpaContext.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace gpulto {

/// Calls \p visit for every definition that \p id needs defined somewhere,
/// given the known constants of its parameters. Looks through copyable
/// constants, since the body takes along a copy of them: calls \p visitCopy for
/// each, once.
inline void
forEachNeed(const WpaContext &context, GlobalId id,
            llvm::function_ref<void(GlobalId)> visit,
            llvm::function_ref<void(GlobalId)> visitCopy = nullptr) {
  llvm::SmallVector<GlobalId, 8> worklist{id};
  llvm::SmallDenseSet<GlobalId, 8> seen;
  while (!worklist.empty()) {
    GlobalId user = worklist.pop_back_val();
    for (const BodyPlan &plan : context.decisions.plansOf(user))
      for (const ValueFact &fact : plan.facts.values)
        if (fact.symbol != kNone)
          visit(fact.symbol);
    for (const GraphEdge &edge : context.graph.edges(user)) {
      if (edge.kind == EdgeKind::Device)
        continue;
      if (context.program.has(edge.target, kCopyable)) {
        if (!seen.insert(edge.target).second)
          continue;
        worklist.push_back(edge.target);
        if (visitCopy)
          visitCopy(edge.target);
        continue;
      }
      // Each partition writes into its own copy.
      if (!context.decisions.isNeverRead(edge.target))
        visit(edge.target);
    }
  }
}

} // namespace gpulto

#endif
