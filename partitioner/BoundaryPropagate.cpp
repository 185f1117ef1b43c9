//===- BoundaryPropagate.cpp - What crosses partitions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: each partition compiles as if it were the whole program.
//
// 1. chooseImports: bodies small enough to be worth inlining are copied into
//    the partitions that call them, as available_externally. The limit shrinks
//    with each level of calls and is zero for calls that are cold, or enter or
//    leave cold functions. Constants that a partition reads are copied as well.
// 2. decideLinkage: a definition that another partition, or an object of our
//    own making, refers to becomes hidden; what nobody else refers to becomes
//    internal; what the world outside can name stays as it is.
//
// Source: the limits and their decay are those of LLVM's FunctionImport.cpp
// (T. Johnson, M. Amini, X. D. Li: "ThinLTO: Scalable and Incremental LTO",
// CGO 2017).
//
//===----------------------------------------------------------------------===//

#include "partitioner/Partition.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

/// Calls \p visit for every definition that \p id needs to see defined
/// somewhere, with the constants that its parameters are known to be; copyable
/// constants are looked through, since the body takes a copy of them along.
template <typename Visitor>
static void forEachNeed(const WpaContext &context, GlobalId id,
                        Visitor &&visit) {
  SmallVector<GlobalId, 8> worklist{id};
  DenseSet<GlobalId> seen;
  while (!worklist.empty()) {
    GlobalId user = worklist.pop_back_val();
    for (const BodyPlan &plan : context.decisions.plansOf(user))
      for (const ValueFact &fact : plan.facts.values)
        if (fact.symbol != kNone)
          visit(fact.symbol);
    for (const GraphEdge &edge : context.graph.edges(user)) {
      if (edge.kind == EdgeKind::Device)
        continue;
      if (context.program.symbol(edge.target).has(kCopyable)) {
        if (seen.insert(edge.target).second)
          worklist.push_back(edge.target);
        continue;
      }
      // Each partition writes into a copy of its own.
      if (!context.decisions.isNeverRead(edge.target))
        visit(edge.target);
    }
  }
}

/// Returns whether the body of \p id may stand for the symbol at run time.
static bool isExact(const CombinedSummary &program, GlobalId id) {
  switch (program.symbol(id).linkage) {
  case Linkage::WeakAny:
  case Linkage::LinkOnceAny:
  case Linkage::Common:
    return false;
  default:
    return !(program.resolution(id) & kLinkerRedefined);
  }
}

static bool isImportableFunction(const CombinedSummary &program, GlobalId id) {
  const FunctionSummary *function = program.function(id);
  constexpr uint32_t kNever = kNoInline | kOptNone | kNaked | kReturnsTwice |
                              kHasAsmLabels | kBlockAddressTaken |
                              kHasIndirectBranch | kVarArg;
  return function && !(function->flags & kNever) && isExact(program, id) &&
         program.jumpTarget(id) == kNone;
}

uint64_t importWeight(const WpaContext &context, GlobalId id) {
  if (!isImportableFunction(context.program, id))
    return 0;
  const FunctionSummary *callee = context.program.function(id);
  bool isSmall = callee->instructionCount <= context.params.importInstrLimit &&
                 !callee->has(kCold) && !context.decisions.isCold(id);
  return isSmall || callee->has(kAlwaysInline) ? callee->instructionCount : 0;
}

static bool isImportableConstant(const WpaContext &context, GlobalId id) {
  const SymbolRecord &symbol = context.program.symbol(id);
  const VariableSummary *variable = context.program.variable(id);
  bool isConstant =
      symbol.has(kConstant) || context.decisions.isNeverWritten(id);
  return variable && isConstant && !symbol.has(kThreadLocal) &&
         !symbol.has(kHasSection) && !variable->hasBlockAddress &&
         variable->sizeBytes <= context.params.importConstantBytes &&
         isExact(context.program, id);
}

namespace {
/// Chooses the imports of one partition.
class Importer {
public:
  Importer(const WpaContext &context, const PartitionMap &map, uint32_t index)
      : context(context), program(context.program), map(map), index(index) {}

  std::vector<GlobalId> run() {
    for (const PartitionSymbol &define : map.partitions[index].defines)
      visit(define.id, context.params.importInstrLimit);
    while (!worklist.empty()) {
      auto [id, limit] = worklist.pop_back_val();
      visit(id, limit);
    }
    std::vector<GlobalId> result;
    for (auto [id, limit] : limits)
      result.push_back(id);
    llvm::sort(result);
    return result;
  }

private:
  bool isElsewhere(GlobalId id) const {
    return map.home[id] != kNone && map.home[id] != index;
  }

  /// Returns whether the body of \p id may be compiled with the options of this
  /// partition.
  bool fits(GlobalId id) const {
    return program.moduleRef(id).summary.codegenDigest ==
           map.partitions[index].codegenDigest;
  }

  /// Looks at what \p id calls and reads, when bodies of up to \p limit
  /// instructions are worth importing.
  void visit(GlobalId id, uint32_t limit) {
    for (const GraphEdge &edge : context.graph.edges(id)) {
      if (!isElsewhere(edge.target) || !fits(edge.target))
        continue;
      if (edge.kind == EdgeKind::Call)
        considerCall(id, edge, limit);
      else if (edge.kind == EdgeKind::Reference &&
               isImportableConstant(context, edge.target) &&
               limits.try_emplace(edge.target, 0).second)
        worklist.push_back({edge.target, 0});
    }
  }

  void considerCall(GlobalId caller, const GraphEdge &edge, uint32_t limit) {
    const FunctionSummary *callee = program.function(edge.target);
    if (!isImportableFunction(program, edge.target) ||
        (edge.flags & kNoInlineSite))
      return;
    const Decisions &decisions = context.decisions;
    bool isCold = (edge.flags & kColdSite) || callee->has(kCold) ||
                  decisions.isCold(edge.target) || decisions.isCold(caller);
    uint64_t allowed = limit;
    if (isCold)
      allowed = allowed * context.params.importColdMultiplierPercent / 100;
    if (!callee->has(kAlwaysInline) && callee->instructionCount > allowed)
      return;
    uint32_t next =
        uint64_t(limit) * context.params.importInstrDecayPercent / 100;
    auto [it, isNew] = limits.try_emplace(edge.target, next);
    if (!isNew && it->second >= next)
      return;
    it->second = next;
    worklist.push_back({edge.target, next});
  }

  const WpaContext &context;
  const CombinedSummary &program;
  const PartitionMap &map;
  uint32_t index;
  /// Imported so far, with the limit their own callees were looked at under.
  DenseMap<GlobalId, uint32_t> limits;
  SmallVector<std::pair<GlobalId, uint32_t>, 0> worklist;
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
/// beside the one that native code calls.
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
  std::vector<uint32_t> definedIn(context.program.symbolCount(), kNone);
  for (auto [p, partition] : enumerate(map.partitions)) {
    for (const PartitionSymbol &define : partition.defines)
      definedIn[define.id] = p;
    auto need = [&, p = uint32_t(p)](GlobalId target) {
      if (definedIn[target] != p)
        crossing.set(target);
    };
    for (const PartitionSymbol &define : partition.defines)
      forEachNeed(context, define.id, need);
    for (GlobalId id : partition.imports) {
      crossing.set(id);
      forEachNeed(context, id, need);
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
      if (context.program.symbol(define.id).has(kKernelStub))
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
  for (uint32_t p = 0; p < map.partitions.size(); ++p)
    if (map.partitions[p].image == kHostImage)
      map.partitions[p].imports = Importer(context, map, p).run();
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
