//===- DevicePropagate.cpp - Closed device partitions ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: make device partitions that compile and inline alone. A GPU has no
// cheap call into another object: ptxas must see a kernel with all that it
// reaches.
//
//   k1 -> a -> b     k2 -> a      k3 -> c     |  {k1 k2 a b}  {k3 c}
//
// 1. findUnits: a unit is a kernel with the definitions it reaches. Kernels
//    that reach a function whose address is taken, or that call indirectly, are
//    one unit: a pointer may travel from any of them to any other through
//    memory, and a pointer is valid only in its own partition. Variables that
//    hold such pointers belong to the unit, too, whoever uses them. If native
//    device code is linked in, its callees and callers are in that unit, which
//    gets its own partition: pointers pass between the two, and such code is
//    assembled differently.
// 2. buildGraph: which units reach the same functions. These would be compiled
//    in each partition.
// 3. cutUnits: units, those that are compared with plain builds apart from the
//    others, are arranged in a sequence and cut (partitioner/CutGraph):
//    in the order of the program, or with those that share functions next to
//    each other if that saves much (partitioner/SharedOrder, ClusterOrder).
// 4. placeVariables: a mutable variable is defined by the first partition that
//    uses it and declared by the others (nvlink joins them); constants whose
//    address means nothing, and block-shared memory, are copied.
//
// Complexity: a few traversals per unit.
//
//===----------------------------------------------------------------------===//

#include "partitioner/ClusterOrder.h"
#include "partitioner/CutGraph.h"
#include "partitioner/Partition.h"
#include "partitioner/SharedOrder.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

using namespace llvm;

namespace gpulto {

namespace {
constexpr uint8_t kSharedAddressSpace = 3;

/// Entry points that must share a partition.
struct Unit {
  std::vector<GlobalId> roots;
  uint8_t optLevel = 2;
  uint8_t sizeLevel = 0;
  ModuleIndex module = 0;
  bool isOpen = false;
  /// Whether whole-program analysis changes it, so that it is compared with a
  /// plain build.
  bool isCompared = false;
};

class DevicePartitioner {
public:
  DevicePartitioner(const WpaContext &context, ImageIndex image,
                    const PartitionOptions &options, PartitionMap &map)
      : context(context), program(context.program), image(image),
        options(options), map(map) {}

  void run() {
    findAddressTaken();
    findUnits();
    pack();
    placeVariables();
  }

private:
  bool isLiveDefinition(GlobalId id) const {
    return program.definition(id) == id && context.decisions.live.test(id);
  }
  bool callsIndirectly(GlobalId id) const;
  bool callsNatively(GlobalId id) const;
  bool isNativelyCalled(GlobalId id) const;
  bool mustJoin(GlobalId id) const;
  bool isAddressTaken(GlobalId id) const;
  void findAddressTaken();
  void findUnits();
  void reach(GlobalId root, DenseSet<GlobalId> &seen,
             std::vector<GlobalId> &found) const;
  uint64_t collect(const Unit &unit, DenseSet<GlobalId> &seen,
                   std::vector<GlobalId> &found) const;
  bool mustPart(size_t i) const;
  std::vector<GlobalId> reachAll(const Unit &unit) const;
  bool keepsComparedApart() const;
  Hypergraph buildGraph(uint32_t begin, uint32_t end) const;
  std::vector<uint32_t> cutUnits(uint32_t begin, uint32_t end) const;
  void addPartitions(uint32_t begin, uint32_t end);
  void pack();
  void placeVariables();
  bool isCopied(GlobalId id) const;

  const WpaContext &context;
  const CombinedSummary &program;
  ImageIndex image;
  const PartitionOptions &options;
  PartitionMap &map;
  DenseSet<GlobalId> addressTaken; // definitions; looked up only
  std::vector<Unit> units;
  uint64_t totalWeight = 0;
  uint32_t firstPartition = 0;
};
} // namespace

bool DevicePartitioner::callsIndirectly(GlobalId id) const {
  const FunctionSummary *function = program.function(id);
  return function && function->has(kHasIndirectCall);
}

/// Returns whether \p id calls a function of native code or uses its address.
bool DevicePartitioner::callsNatively(GlobalId id) const {
  if (!program.hasNativeCode(image))
    return false;
  const CombinedModule &module = program.moduleRef(id);
  auto isNative = [&](SymbolIndex used) {
    const NativeSymbol *native =
        used == kNone ? nullptr
                      : program.nativeDefinition(module.firstSymbol + used);
    return native && native->kind == NativeSymbol::Kind::Function;
  };
  Range references;
  if (const FunctionSummary *function = program.function(id)) {
    references = function->references;
    if (llvm::any_of(
            slice(module.summary.calls, function->calls),
            [&](const CallEdge &call) { return isNative(call.callee); }))
      return true;
  } else if (const VariableSummary *variable = program.variable(id)) {
    references = variable->references;
  }
  return llvm::any_of(
      slice(module.summary.references, references),
      [&](const ReferenceEdge &edge) { return isNative(edge.symbol); });
}

/// Returns whether \p id is a function other than a kernel that native code
/// uses.
bool DevicePartitioner::isNativelyCalled(GlobalId id) const {
  return program.isNativelyUsed(id) && program.function(id) &&
         !program.symbol(id).has(kKernel);
}

/// Returns whether what reaches \p id belongs into the unit of pointers.
bool DevicePartitioner::mustJoin(GlobalId id) const {
  return callsIndirectly(id) || isAddressTaken(id) || callsNatively(id);
}

/// Returns whether a pointer to function \p id may exist at run time. Kernels
/// launch each other by such pointers.
bool DevicePartitioner::isAddressTaken(GlobalId id) const {
  return program.symbol(id).kind == SymbolKind::Function &&
         addressTaken.contains(id);
}

/// Whether an address is taken is what the module says that takes it.
void DevicePartitioner::findAddressTaken() {
  for (ModuleIndex m : program.images()[image].modules) {
    const CombinedModule &module = program.modules()[m];
    for (auto [s, symbol] : enumerate(module.summary.symbols))
      if (GlobalId id = program.definition(module.firstSymbol + uint32_t(s));
          id != kNone && symbol.has(kAddressTaken))
        addressTaken.insert(id);
  }
}

/// Adds to \p found what \p root reaches and \p seen does not hold yet. Data
/// does not lead into other partitions: a variable is only named.
void DevicePartitioner::reach(GlobalId root, DenseSet<GlobalId> &seen,
                              std::vector<GlobalId> &found) const {
  SmallVector<GlobalId, 32> worklist{root};
  while (!worklist.empty()) {
    GlobalId id = worklist.pop_back_val();
    if (!seen.insert(id).second)
      continue;
    if (!program.symbol(id).has(kCopyable))
      found.push_back(id);
    for (const GraphEdge &edge : context.graph.edges(id))
      if (edge.kind != EdgeKind::Device && isLiveDefinition(edge.target))
        worklist.push_back(edge.target);
  }
}

/// Returns whether units that are compared with plain builds get partitions of
/// their own, and smaller ones: one that got worse costs a build of its
/// partition. Not where somebody says how many there are to be.
bool DevicePartitioner::keepsComparedApart() const {
  return options.mode == PartitionMode::Balanced && options.count == 0;
}

void DevicePartitioner::findUnits() {
  Unit indirect;
  for (ModuleIndex m : program.images()[image].modules) {
    const CombinedModule &module = program.modules()[m];
    for (SymbolIndex s = 0; s < module.summary.symbols.size(); ++s) {
      GlobalId id = module.firstSymbol + s;
      if (!isLiveDefinition(id))
        continue;
      const SymbolRecord &symbol = module.summary.symbols[s];
      bool isEntry = symbol.has(kKernel);
      bool isVariable =
          symbol.kind != SymbolKind::Function && !symbol.has(kCopyable);
      bool joins = isAddressTaken(id) || isNativelyCalled(id);
      if (isEntry || isVariable) {
        DenseSet<GlobalId> seen;
        std::vector<GlobalId> found;
        reach(id, seen, found);
        joins = llvm::any_of(
            found, [&](GlobalId reached) { return mustJoin(reached); });
      }
      Unit single{{id}, module.summary.optLevel, module.summary.sizeLevel, m};
      if (joins && indirect.roots.empty())
        indirect = single;
      else if (joins)
        indirect.roots.push_back(id);
      else if (isEntry)
        units.push_back(single);
    }
  }
  indirect.isOpen = program.hasNativeCode(image);
  if (!indirect.roots.empty())
    units.insert(units.begin(), indirect);
  if (keepsComparedApart())
    for (Unit &unit : units)
      unit.isCompared = llvm::any_of(
          reachAll(unit), [&](GlobalId id) { return isPlanned(context, id); });
  llvm::stable_sort(units, [](const Unit &a, const Unit &b) {
    return std::tuple(a.optLevel, a.sizeLevel, a.isCompared) <
           std::tuple(b.optLevel, b.sizeLevel, b.isCompared);
  });
}

/// Adds to \p found what \p unit reaches and \p seen does not hold yet, and
/// returns its weight.
uint64_t DevicePartitioner::collect(const Unit &unit, DenseSet<GlobalId> &seen,
                                    std::vector<GlobalId> &found) const {
  size_t old = found.size();
  for (GlobalId root : unit.roots)
    reach(root, seen, found);
  uint64_t weight = 0;
  for (GlobalId id : ArrayRef(found).drop_front(old))
    weight += definitionWeight(program, id);
  return weight;
}

/// Returns what \p unit reaches.
std::vector<GlobalId> DevicePartitioner::reachAll(const Unit &unit) const {
  DenseSet<GlobalId> seen;
  std::vector<GlobalId> found;
  collect(unit, seen, found);
  return found;
}

/// Returns whether unit \p i may not be with unit \p i - 1.
bool DevicePartitioner::mustPart(size_t i) const {
  const Unit &last = units[i - 1], &unit = units[i];
  return last.optLevel != unit.optLevel || last.sizeLevel != unit.sizeLevel ||
         last.isCompared != unit.isCompared || last.isOpen || unit.isOpen;
}

/// Returns what units [begin, end) reach, for each definition that several of
/// them reach, and their files. Functions that the same units reach are one
/// net.
Hypergraph DevicePartitioner::buildGraph(uint32_t begin, uint32_t end) const {
  Hypergraph graph;
  std::vector<ModuleIndex> modules;
  std::vector<std::pair<GlobalId, uint32_t>> uses;
  for (uint32_t i = begin; i < end; ++i) {
    const Unit &unit = units[i];
    graph.addVertex({0, anchorOf(program, unit.roots.front())});
    modules.push_back(unit.module);
    for (GlobalId id : reachAll(unit))
      uses.push_back({id, i - begin});
  }
  llvm::sort(uses);
  std::map<std::vector<uint32_t>, Net> nets; // by users
  std::vector<uint32_t> users;
  for (size_t i = 0; i < uses.size(); ++i) {
    users.push_back(uses[i].second);
    if (i + 1 < uses.size() && uses[i + 1].first == uses[i].first)
      continue;
    Net &net = nets[users];
    uint64_t anchor = anchorOf(program, uses[i].first);
    net.weight += definitionWeight(program, uses[i].first);
    net.anchor = net.anchor ? std::min(net.anchor, anchor) : anchor;
    net.isWork = true;
    users.clear();
  }
  for (const auto &[pins, net] : nets)
    graph.addNet(net, pins);
  // Units of one file share the work of reading it.
  graph.addRuns({context.params.partitionModuleInstructions}, modules);
  graph.finish();
  return graph;
}

namespace {
/// A way to cut the units.
struct Cut {
  std::vector<uint32_t> order;
  GraphCutOptions how;
};
} // namespace

/// Returns the best of the ways to cut \p graph. The order of the program moves
/// least with edits, clusters most: either of the others must spare much more
/// than the one before it.
static Cut chooseCut(const Hypergraph &graph, const GraphCutOptions &how,
                     const Params &params) {
  auto costOf = [&](const Cut &cut) {
    return cutCost(graph, cutGraph(graph, cut.order, cut.how));
  };
  Cut byFile{std::vector<uint32_t>(graph.vertices().size()), how};
  std::iota(byFile.order.begin(), byFile.order.end(), 0);
  // Neighbors share so much that there are always moves that pay; one more or
  // less makes room for others, from partition to partition.
  Cut byShared{findSharedOrder(graph), how};
  byShared.how.refineRounds = 0;
  Cut byCluster{findClusterOrder(graph, how.wanted), how};
  uint64_t gain = 100 + uint64_t(params.deviceClusterGainPercent);
  uint64_t cost = costOf(byFile);
  Cut best = std::move(byFile);
  for (Cut *other : {&byShared, &byCluster}) {
    uint64_t otherCost = costOf(*other);
    if (otherCost * gain >= cost * 100)
      continue;
    cost = otherCost;
    best = std::move(*other);
  }
  return best;
}

/// Returns the partition of each of units [begin, end), counted from 0.
std::vector<uint32_t> DevicePartitioner::cutUnits(uint32_t begin,
                                                  uint32_t end) const {
  std::vector<uint32_t> partOf(end - begin);
  if (options.mode == PartitionMode::Max)
    std::iota(partOf.begin(), partOf.end(), 0);
  if (options.mode != PartitionMode::Balanced || partOf.size() == 1)
    return partOf;
  Hypergraph graph = buildGraph(begin, end);
  GraphCutOptions how = graphCutOptions(
      context.params, options.count, totalWeight,
      units[begin].isCompared ? context.params.deviceComparedInstructions
                              : context.params.devicePartitionInstructions);
  Cut cut = chooseCut(graph, how, context.params);
  if (!options.count)
    cut.how.maxGrowthPercent = context.params.deviceDuplicationPercent;
  return cutGraph(graph, cut.order, cut.how);
}

/// Makes the partitions of units [begin, end).
void DevicePartitioner::addPartitions(uint32_t begin, uint32_t end) {
  std::vector<uint32_t> partOf = cutUnits(begin, end);
  uint32_t parts = *llvm::max_element(partOf) + 1;
  for (uint32_t part = 0; part < parts; ++part) {
    Partition &partition = map.partitions.emplace_back();
    partition.image = image;
    partition.optLevel = units[begin].optLevel;
    partition.sizeLevel = units[begin].sizeLevel;
    partition.isOpen = units[begin].isOpen;
    DenseSet<GlobalId> seen;
    std::vector<GlobalId> found;
    for (uint32_t i = begin; i < end; ++i)
      if (partOf[i - begin] == part)
        partition.weight += collect(units[i], seen, found);
    for (GlobalId id : found)
      partition.defines.push_back({id, FinalLinkage::Preserved});
  }
}

void DevicePartitioner::pack() {
  firstPartition = map.partitions.size();
  DenseSet<GlobalId> seen;
  std::vector<GlobalId> found;
  for (const Unit &unit : units)
    totalWeight += collect(unit, seen, found);
  for (uint32_t begin = 0, i = 1; i <= units.size(); ++i) {
    bool isNew = options.mode == PartitionMode::OneToOne && i < units.size() &&
                 units[i - 1].module != units[i].module;
    if (i < units.size() && !mustPart(i) && !isNew)
      continue;
    addPartitions(begin, i);
    begin = i;
  }
}

/// Returns whether each partition gets a copy of its own of variable \p id.
bool DevicePartitioner::isCopied(GlobalId id) const {
  const SymbolRecord &symbol = program.symbol(id);
  if (program.isNativelyUsed(id))
    return false;
  if (symbol.addressSpace == kSharedAddressSpace)
    return true;
  bool isFixed = symbol.has(kConstant) && !symbol.has(kExternallyInitialized);
  return isFixed && symbol.has(kUnnamedAddr);
}

void DevicePartitioner::placeVariables() {
  // Live variables that no kernel reaches are there for the host.
  std::vector<GlobalId> unreached;
  DenseSet<GlobalId> placed;
  for (Partition &partition :
       MutableArrayRef(map.partitions).drop_front(firstPartition))
    for (const PartitionSymbol &define : partition.defines)
      placed.insert(define.id);
  for (ModuleIndex m : program.images()[image].modules) {
    const CombinedModule &module = program.modules()[m];
    for (SymbolIndex s = 0; s < module.summary.symbols.size(); ++s) {
      GlobalId id = module.firstSymbol + s;
      const SymbolRecord &symbol = module.summary.symbols[s];
      if (isLiveDefinition(id) && symbol.kind != SymbolKind::Function &&
          !symbol.has(kCopyable) && !placed.contains(id))
        unreached.push_back(id);
    }
  }
  if (!unreached.empty() && map.partitions.size() == firstPartition) {
    map.partitions.emplace_back();
    map.partitions.back().image = image;
  }
  for (GlobalId id : unreached) {
    Partition &first = map.partitions[firstPartition];
    first.defines.push_back({id, FinalLinkage::Preserved});
    ++first.weight;
  }
  // Native code calls the copy of a function that is assembled for it.
  for (uint32_t p = firstPartition; p < map.partitions.size(); ++p)
    if (map.partitions[p].isOpen)
      for (const PartitionSymbol &define : map.partitions[p].defines)
        if (isNativelyCalled(define.id))
          map.home[define.id] = p;
  for (uint32_t p = firstPartition; p < map.partitions.size(); ++p) {
    std::vector<PartitionSymbol> &defines = map.partitions[p].defines;
    llvm::erase_if(defines, [&](const PartitionSymbol &define) {
      bool isFunction = program.function(define.id) != nullptr;
      bool isFirst = map.home[define.id] == kNone;
      if (isFirst)
        map.home[define.id] = p;
      return !isFirst && !isFunction && !isCopied(define.id);
    });
    llvm::sort(defines,
               [](const auto &a, const auto &b) { return a.id < b.id; });
  }
}

bool isPlanned(const WpaContext &context, GlobalId id) {
  return context.program.jumpTarget(id) == kNone &&
         !context.decisions.plansOf(id).empty();
}

void partitionDevice(const WpaContext &context, ImageIndex image,
                     const PartitionOptions &options, PartitionMap &map) {
  DevicePartitioner(context, image, options, map).run();
}

} // namespace gpulto
