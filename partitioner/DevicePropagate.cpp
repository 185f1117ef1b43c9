//===- DevicePropagate.cpp - Closed device partitions ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: device partitions that compile and inline alone. A GPU has no cheap
// call into another object: ptxas must see a kernel with all it reaches.
//
//   k1 -> a -> b     k2 -> a      k3 -> c     |  {k1 k2 a b}  {k3 c}
//
// 1. findUnits: a unit is a kernel with the definitions it reaches. Kernels
//    that reach a function whose address is taken, or that call indirectly,
//    are one unit: a pointer may travel from any of them to any other through
//    memory, and a pointer is good in its own partition only. Variables that
//    hold such pointers belong to it, too, whoever uses them. Where native
//    device code is linked in, what it calls and what calls it are in that
//    unit, which gets a partition of its own: pointers pass between the two,
//    and such code is assembled in another way.
// 2. pack: units in program order are laid on a line, each as long as what it
//    adds to the program, and the line is cut (partitioner/StableCuts). A
//    function shared by partitions is compiled in each.
// 3. placeVariables: a mutable variable is defined by the first partition that
//    uses it and declared by the others (nvlink joins them); constants whose
//    address means nothing, and block-shared memory, are copied.
//
// Complexity: one traversal per unit, bounded by the partition it is in.
//
//===----------------------------------------------------------------------===//

#include "partitioner/Partition.h"
#include "partitioner/StableCuts.h"
#include "support/StableHash.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

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
  std::vector<size_t> cutBalanced(size_t begin, size_t end,
                                  ArrayRef<uint64_t> lengths) const;
  BitVector findFirsts() const;
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

/// Returns whether a pointer to function \p id may exist at run time.
bool DevicePartitioner::isAddressTaken(GlobalId id) const {
  const SymbolRecord &symbol = program.symbol(id);
  return symbol.kind == SymbolKind::Function && !symbol.has(kKernel) &&
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
  llvm::stable_sort(units, [](const Unit &a, const Unit &b) {
    return std::pair(a.optLevel, a.sizeLevel) <
           std::pair(b.optLevel, b.sizeLevel);
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

/// Returns whether unit \p i may not be with unit \p i - 1.
bool DevicePartitioner::mustPart(size_t i) const {
  const Unit &last = units[i - 1], &unit = units[i];
  return last.optLevel != unit.optLevel || last.sizeLevel != unit.sizeLevel ||
         last.isOpen || unit.isOpen;
}

/// Returns where the row of \p lengths is cut, for units [begin, end).
std::vector<size_t>
DevicePartitioner::cutBalanced(size_t begin, size_t end,
                               ArrayRef<uint64_t> lengths) const {
  std::vector<CutItem> items;
  uint64_t total = std::accumulate(lengths.begin(), lengths.end(), uint64_t(0));
  uint64_t run = 0;
  for (size_t i = begin; i < end; ++i) {
    GlobalId root = units[i].roots.front();
    StableHasher anchor;
    anchor.add(program.moduleRef(root).tag);
    anchor.add(program.symbol(root).name);
    // Helpers are shared within modules: better not to cut there.
    bool startsModule = i == begin || units[i].module != units[i - 1].module;
    constexpr uint64_t kInside = uint64_t(1) << 63;
    items.push_back(
        {lengths[i], anchor.finish().lo >> 1 | (startsModule ? 0 : kInside)});
    run += lengths[i];
  }
  uint64_t wanted = options.count ? std::max<uint64_t>(1, total / options.count)
                                  : context.params.devicePartitionInstructions;
  uint64_t most = options.count ? options.count : context.params.maxPartitions;
  uint64_t pieces =
      options.count ? std::clamp<uint64_t>((run + wanted / 2) / wanted, 1, most)
                    : stablePieces(run, wanted, most);
  return findStableCuts(items, {}, pieces);
}

/// Returns the first unit of each partition.
BitVector DevicePartitioner::findFirsts() const {
  BitVector firsts(units.size());
  std::vector<uint64_t> lengths;
  DenseSet<GlobalId> seen;
  for (const Unit &unit : units) {
    std::vector<GlobalId> found;
    lengths.push_back(collect(unit, seen, found));
  }
  for (size_t begin = 0, i = 1; i <= units.size(); ++i) {
    bool isNew = options.mode == PartitionMode::Max ||
                 (options.mode == PartitionMode::OneToOne && i < units.size() &&
                  units[i - 1].module != units[i].module);
    if (i < units.size() && !mustPart(i) && !isNew)
      continue;
    firsts.set(begin);
    if (options.mode == PartitionMode::Balanced)
      for (size_t end : cutBalanced(begin, i, lengths))
        if (begin + end < i)
          firsts.set(begin + end);
    begin = i;
  }
  return firsts;
}

void DevicePartitioner::pack() {
  firstPartition = map.partitions.size();
  BitVector firsts = findFirsts();
  DenseSet<GlobalId> seen; // what the last partition holds
  for (auto [i, unit] : enumerate(units)) {
    if (firsts.test(i)) {
      map.partitions.emplace_back();
      map.partitions.back().image = image;
      map.partitions.back().optLevel = unit.optLevel;
      map.partitions.back().sizeLevel = unit.sizeLevel;
      map.partitions.back().isOpen = unit.isOpen;
      seen.clear();
    }
    Partition &partition = map.partitions.back();
    std::vector<GlobalId> found;
    partition.weight += collect(unit, seen, found);
    for (GlobalId id : found)
      partition.defines.push_back({id, FinalLinkage::Preserved});
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

void partitionDevice(const WpaContext &context, ImageIndex image,
                     const PartitionOptions &options, PartitionMap &map) {
  DevicePartitioner(context, image, options, map).run();
}

} // namespace gpulto
