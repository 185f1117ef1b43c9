//===- BoundaryPropagate.cpp - What crosses partitions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: each partition compiles as if it were the whole program.
//
// 1. Importer: bodies to be inlined are copied into the partitions of their
//    callers, as available_externally, with bodies to be inlined into them.
//    Constants that a partition reads are copied as well.
// 2. decideLinkage: a definition that another partition, or an object that we
//    generate, refers to becomes hidden; one without other references becomes
//    internal; one that the outside can name keeps its linkage.
//
// Source of available_externally copies: LLVM's FunctionImport.cpp (T. Johnson,
// M. Amini, X. D. Li: "ThinLTO: Scalable and Incremental LTO", CGO 2017).
//
//===----------------------------------------------------------------------===//

#include "partitioner/Needs.h"
#include "partitioner/Partition.h"
#include "summary/CombinedModule.h"
#include "support/Parallel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

uint64_t importWeight(const WpaContext &context, GlobalId id) {
  return context.decisions.isInlined(id)
             ? context.program.function(id)->instructionCount
             : 0;
}

static bool isImportableConstant(const WpaContext &context, GlobalId id) {
  const CombinedSummary &program = context.program;
  bool isConstant =
      program.has(id, kConstant) || context.decisions.isNeverWritten(id);
  const VariableSummary *variable = isConstant ? program.variable(id) : nullptr;
  return variable && !program.has(id, kThreadLocal) &&
         !program.has(id, kHasSection) && !variable->hasBlockAddress &&
         variable->sizeBytes <= context.params.importConstantBytes &&
         context.program.isExact(id);
}

namespace {
/// Chooses the imports of one partition.
class Importer {
public:
  Importer(const WpaContext &context, const PartitionMap &map, uint32_t index)
      : context(context), program(context.program), map(map), index(index) {}

  std::vector<GlobalId> run() {
    for (const PartitionSymbol &define : map.partitions[index].defines)
      visit(define.id);
    while (!worklist.empty())
      visit(worklist.pop_back_val());
    std::vector<GlobalId> result(imports.begin(), imports.end());
    llvm::sort(result);
    return result;
  }

private:
  /// Returns whether \p id is defined in another partition, and may be compiled
  /// with the options of this one and next to its assembly.
  bool isElsewhere(GlobalId id) const {
    uint32_t home = map.home[id];
    return home != kNone && home != index &&
           map.partitions[home].codegenDigest ==
               map.partitions[index].codegenDigest &&
           !map.assemblyGroups.barred.contains(
               {program.moduleOf(id), map.partitions[index].assemblyGroup});
  }

  void add(GlobalId id) {
    if (isElsewhere(id) && imports.insert(id).second)
      worklist.push_back(id);
  }

  /// Adds what is to be inlined into the body \p id, and constants it reads.
  void visit(GlobalId id) {
    // What has one use is gone only where it is defined; a copy must be small.
    for (const InlinedCall &call : context.decisions.inlinedCallsOf(id))
      if (!call.isOnlyUse || program.function(call.callee)->instructionCount <=
                                 context.params.inlineInstructions)
        add(call.callee);
    for (const GraphEdge &edge : context.graph.edges(id))
      if (edge.kind == EdgeKind::Reference &&
          isImportableConstant(context, edge.target))
        add(edge.target);
  }

  const WpaContext &context;
  const CombinedSummary &program;
  const PartitionMap &map;
  uint32_t index;
  DenseSet<GlobalId> imports;
  SmallVector<GlobalId, 0> worklist;
};
} // namespace

static FinalLinkage linkageOf(const WpaContext &context, GlobalId id,
                              bool isNeededElsewhere) {
  const CombinedSummary &program = context.program;
  if (program.imageOf(id) == kHostImage &&
      (program.resolution(id) & kLinkerRedefined))
    return FinalLinkage::Redefined;
  bool isLocal = program.symbol(id).isLocal();
  if (context.decisions.visibleOutside.test(id) && !isLocal)
    return FinalLinkage::Preserved;
  if (isNeededElsewhere)
    return FinalLinkage::Hidden;
  return isLocal && context.decisions.visibleOutside.test(id)
             ? FinalLinkage::Preserved
             : FinalLinkage::Internal;
}

/// Returns whether partition \p p has a copy of the device function \p id
/// besides the one that native code calls.
static bool isCopyOfNativelyUsed(const WpaContext &context, GlobalId id,
                                 size_t p, const PartitionMap &map) {
  return context.program.isNativelyUsed(id) && context.program.function(id) &&
         map.home[id] != p;
}

/// Returns the definitions that a partition other than one that has them
/// refers to.
static BitVector findCrossings(const WpaContext &context,
                               const PartitionMap &map) {
  BitVector crossing(context.program.symbolCount());
  // By GlobalId of an import: all that it needs is among the crossings.
  BitVector isDone(context.program.symbolCount());
  std::vector<uint32_t> definedIn(context.program.symbolCount(), kNone);
  for (auto [p, partition] : enumerate(map.partitions)) {
    for (const PartitionSymbol &define : partition.defines)
      definedIn[define.id] = p;
    auto need = [&, p = uint32_t(p)](GlobalId target) {
      if (!crossing.test(target) && definedIn[target] != p)
        crossing.set(target);
    };
    for (const PartitionSymbol &define : partition.defines)
      forEachNeed(context, define.id, need);
    for (GlobalId id : partition.imports) {
      crossing.set(id);
      if (isDone.test(id))
        continue;
      bool needsAreThere = true;
      forEachNeed(context, id, [&](GlobalId target) {
        need(target);
        needsAreThere &= crossing.test(target);
      });
      if (needsAreThere)
        isDone.set(id);
    }
  }
  return crossing;
}

/// Notes the clones that partitions other than their home's call, and those of
/// stubs, which the registration of kernels refers to. A device partition has
/// clones of its own.
static void shareClones(const WpaContext &context, PartitionMap &map) {
  auto look = [&](uint32_t p, GlobalId caller) {
    for (const BodyPlan &plan : context.decisions.plansOf(caller))
      for (const CallRedirect &redirect : plan.redirects)
        if (map.home[redirect.callee] != p)
          map.sharedClones.insert({redirect.callee, redirect.clone});
  };
  for (auto [p, partition] : enumerate(map.partitions)) {
    if (partition.image != kHostImage)
      continue;
    for (const PartitionSymbol &define : partition.defines) {
      look(p, define.id);
      if (context.program.has(define.id, kKernelStub))
        for (const BodyPlan &plan : context.decisions.plansOf(define.id))
          if (plan.clone)
            map.sharedClones.insert({define.id, plan.clone});
    }
    for (GlobalId id : partition.imports)
      look(p, id);
  }
}

void decideBoundaries(const WpaContext &context,
                      const BitVector &externallyUsed, PartitionMap &map) {
  forEachOf(context.threads, map.partitions.size(), [&](size_t p) {
    if (map.partitions[p].image == kHostImage)
      map.partitions[p].imports = Importer(context, map, p).run();
  });
  shareClones(context, map);
  BitVector needed = findCrossings(context, map);
  needed |= externallyUsed;
  for (auto [p, partition] : enumerate(map.partitions))
    for (PartitionSymbol &define : partition.defines)
      define.linkage =
          isCopyOfNativelyUsed(context, define.id, p, map)
              ? FinalLinkage::Internal
              : linkageOf(context, define.id, needed.test(define.id));
}

} // namespace gpulto
