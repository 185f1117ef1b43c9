//===- CallGraph.cpp - Calls and references across launches ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/CallGraph.h"

#include "summary/CombinedModule.h"
#include "summary/CombinedSummary.h"
#include "support/Parallel.h"

#include <numeric>

using namespace llvm;

namespace gpulto {

/// Adds the edges of the definition \p id to \p table.
static void addEdges(const CombinedSummary &program, GlobalId id,
                     std::vector<GraphEdge> &table) {
  const CombinedModule &module = program.moduleRef(id);
  const ModuleSummary &summary = module.summary;
  auto add = [&](SymbolIndex used, EdgeKind kind, uint32_t flags,
                 uint32_t frequency) {
    GlobalId target = program.definition(module.firstSymbol + used);
    if (target != kNone)
      table.push_back({target, kind, flags, frequency});
  };
  auto addReferences = [&](Range references) {
    for (const ReferenceEdge &edge : slice(summary.references, references))
      add(edge.symbol, EdgeKind::Reference, edge.flags, 256);
  };
  if (GlobalId target = program.jumpTarget(id); target != kNone) {
    table.push_back({target, EdgeKind::Reference, 0, 256});
  } else if (const FunctionSummary *function = program.function(id)) {
    for (const CallEdge &call : slice(summary.calls, function->calls))
      if (call.callee != kNone)
        add(call.callee, EdgeKind::Call, call.flags, call.frequency);
    for (const LaunchSite &launch : slice(summary.launches, function->launches))
      if (launch.stub != kNone)
        add(launch.stub, EdgeKind::Reference, kTakesAddress, launch.frequency);
    addReferences(function->references);
  } else if (const VariableSummary *variable = program.variable(id)) {
    addReferences(variable->references);
  } else if (const AliasSummary *alias = program.alias(id)) {
    // An alias of a weak body that did not prevail still means that body.
    GlobalId own =
        alias->target == kNone ? kNone : module.firstSymbol + alias->target;
    if (own != kNone && program.definition(own) != own && program.function(own))
      addEdges(program, own, table);
    else if (own != kNone)
      add(alias->target, EdgeKind::Alias, 0, 256);
  }
  for (GlobalId device : program.deviceCounterparts(id))
    table.push_back({device, EdgeKind::Device, 0, 256});
}

CallGraph::CallGraph(const CombinedSummary &program, unsigned threads)
    : first(program.symbolCount() + 1) {
  // How many edges each has, then where they begin.
  table =
      collectInPieces<GraphEdge>(threads, program.symbolCount(),
                                 [&](size_t id, std::vector<GraphEdge> &found) {
                                   size_t before = found.size();
                                   if (program.definition(id) == id)
                                     addEdges(program, id, found);
                                   first[id + 1] = found.size() - before;
                                 });
  std::partial_sum(first.begin(), first.end(), first.begin());
}

} // namespace gpulto
