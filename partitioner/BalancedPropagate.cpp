//===- BalancedPropagate.cpp - Host partitions of even weight -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: partitions of even weight that few calls and references cross.
//
//   modules   | a.cpp      | b.cpp        | c.cpp    |
//   atoms     | 1 2 3 4 5  | 6 7 8 9 10   | 11 12    |
//   cuts      |    1..6           |   7..12         |
//
// 1. collectAtoms: what must stay together (COMDAT groups, aliases, ...), in
//    module order; atoms of one -O level are cut apart from those of another,
//    since a partition is compiled at one level, and so are atoms of modules
//    whose options differ for the whole module (lto/ModuleFlags.h) or whose
//    assembly does not bear each other's (separateAssembly).
// 2. cutRun: the sequence is cut into even pieces where few edges cross, in a
//    way that small edits do not change (partitioner/StableCuts).
//
// Source: that the order of the source files is a good linear order, so that a
// general minimum cut, which costs O(n^2), gains little, is an observation of
// lto_balanced_map in GCC's lto-partition.cc (J. Hubicka). Its walk from left
// to right is not used: an edit moves all cuts behind it.
//
//===----------------------------------------------------------------------===//

#include "partitioner/Partition.h"
#include "partitioner/StableCuts.h"
#include "support/StableHash.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <tuple>

using namespace llvm;

namespace gpulto {

uint64_t definitionWeight(const CombinedSummary &program, GlobalId id) {
  if (const FunctionSummary *function = program.function(id))
    return 1 + function->instructionCount;
  return 1;
}

namespace {
/// Definitions that go together.
struct Atom {
  ModuleIndex module = 0;
  std::vector<GlobalId> members;
  uint64_t weight = 0;
  std::vector<uint32_t> neighbours; // atoms, one entry per edge
};
} // namespace

/// What all modules of a partition have in common.
using Level = std::tuple<uint8_t, uint8_t, uint64_t, uint64_t, uint32_t>;

/// Returns a number for each module, such that modules of one number may share
/// a partition as far as assembly goes: module-level assembly of one file must
/// not continue that of another (its section, its macros, its labels), and a
/// local symbol that assembly knows by its name has that name alone.
static std::vector<uint32_t> separateAssembly(const CombinedSummary &program) {
  struct Group {
    bool hasModuleAssembly = false;
    StringSet<> names;
  };
  std::vector<Group> groups(1);
  std::vector<uint32_t> numbers(program.modules().size());
  for (ModuleIndex m : program.images()[kHostImage].modules) {
    const ModuleSummary &summary = program.modules()[m].summary;
    bool hasModuleAssembly =
        summary.has(kHasModuleAsm) && !summary.has(kModuleAsmIsPlain);
    SmallVector<StringRef, 4> names;
    for (const SymbolRecord &symbol : summary.symbols)
      if (symbol.isLocal() && symbol.has(kWithAssembly))
        names.push_back(symbol.name);
    auto fits = [&](const Group &group) {
      return !(hasModuleAssembly && group.hasModuleAssembly) &&
             llvm::none_of(names, [&](StringRef name) {
               return group.names.contains(name);
             });
    };
    auto group = llvm::find_if(groups, fits);
    if (group == groups.end())
      group = groups.emplace(group);
    numbers[m] = group - groups.begin();
    group->hasModuleAssembly |= hasModuleAssembly;
    for (StringRef name : names)
      group->names.insert(name);
  }
  return numbers;
}

/// Returns the level of each module.
static std::vector<Level> findLevels(const CombinedSummary &program) {
  std::vector<uint32_t> assembly = separateAssembly(program);
  std::vector<Level> levels;
  for (auto [m, module] : enumerate(program.modules())) {
    const ModuleSummary &summary = module.summary;
    levels.push_back({summary.optLevel, summary.sizeLevel,
                      summary.codegenDigest.lo, summary.codegenDigest.hi,
                      assembly[m]});
  }
  return levels;
}

/// Returns the atoms of the live host definitions, by level, then by module.
static std::vector<Atom> collectAtoms(const WpaContext &context,
                                      ArrayRef<Level> levels) {
  const CombinedSummary &program = context.program;
  std::vector<ModuleIndex> order = program.images()[kHostImage].modules;
  llvm::stable_sort(order, [&](ModuleIndex a, ModuleIndex b) {
    return levels[a] < levels[b];
  });
  std::vector<Atom> atoms;
  for (ModuleIndex m : order) {
    const CombinedModule &module = program.modules()[m];
    DenseMap<uint32_t, size_t> atomOf;
    for (auto [s, symbol] : enumerate(module.summary.symbols)) {
      GlobalId id = module.firstSymbol + s;
      if (program.definition(id) != id || symbol.has(kCopyable) ||
          !context.decisions.live.test(id))
        continue;
      size_t position = atoms.size();
      if (symbol.atom != kNone)
        position = atomOf.try_emplace(symbol.atom, position).first->second;
      if (position == atoms.size())
        atoms.push_back({m, {}, 0, {}});
      atoms[position].members.push_back(id);
      atoms[position].weight += definitionWeight(program, id);
    }
  }
  return atoms;
}

static void connectAtoms(const WpaContext &context, std::vector<Atom> &atoms) {
  std::vector<uint32_t> atomOf(context.program.symbolCount(), kNone);
  for (auto [i, atom] : enumerate(atoms))
    for (GlobalId id : atom.members)
      atomOf[id] = i;
  for (auto [i, atom] : enumerate(atoms))
    for (GlobalId id : atom.members)
      for (const GraphEdge &edge : context.graph.edges(id)) {
        uint32_t other = atomOf[edge.target];
        if (other == kNone || other == i)
          continue;
        atom.neighbours.push_back(other);
        atoms[other].neighbours.push_back(i);
      }
}

static bool isLastOfRun(ArrayRef<Level> levels, ArrayRef<Atom> atoms,
                        size_t begin, size_t i, PartitionMode mode) {
  if (i == atoms.size())
    return true;
  if (levels[atoms[begin].module] != levels[atoms[i].module])
    return true;
  return mode == PartitionMode::OneToOne &&
         atoms[begin].module != atoms[i].module;
}

static void addPartition(const WpaContext &context, ArrayRef<Atom> atoms,
                         PartitionMap &map) {
  const ModuleSummary &summary =
      context.program.modules()[atoms.front().module].summary;
  Partition partition;
  partition.image = kHostImage;
  partition.optLevel = summary.optLevel;
  partition.sizeLevel = summary.sizeLevel;
  partition.codegenDigest = summary.codegenDigest;
  for (const Atom &atom : atoms) {
    partition.weight += atom.weight;
    for (GlobalId id : atom.members) {
      map.home[id] = map.partitions.size();
      partition.defines.push_back({id, FinalLinkage::Preserved});
    }
  }
  llvm::sort(partition.defines,
             [](const auto &a, const auto &b) { return a.id < b.id; });
  map.partitions.push_back(std::move(partition));
}

/// Returns where the pieces of \p atoms, of which the first is atom \p begin of
/// the program, end.
static std::vector<size_t> cutBalanced(const WpaContext &context,
                                       ArrayRef<Atom> atoms, size_t begin,
                                       uint64_t pieces) {
  std::vector<CutItem> items;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (auto [i, atom] : enumerate(atoms)) {
    GlobalId first = atom.members.front();
    StableHasher anchor;
    anchor.add(context.program.moduleRef(first).tag);
    anchor.add(context.program.symbol(first).name);
    items.push_back({atom.weight, anchor.finish().lo});
    for (uint32_t other : atom.neighbours) // each edge has two entries
      if (other >= begin && other < begin + i)
        edges.push_back({other - begin, i});
  }
  return findStableCuts(items, edges, pieces);
}

/// Cuts atoms [begin, end), which may share a partition, into pieces.
static void cutRun(const WpaContext &context, ArrayRef<Atom> atoms,
                   size_t begin, size_t end, const PartitionOptions &options,
                   uint64_t total, PartitionMap &map) {
  ArrayRef<Atom> run = atoms.slice(begin, end - begin);
  uint64_t weight = 0;
  for (const Atom &atom : run)
    weight += atom.weight;
  uint64_t pieces = 1;
  if (options.mode == PartitionMode::Max)
    pieces = run.size();
  else if (options.mode == PartitionMode::Balanced && options.count) {
    uint64_t wanted = std::max<uint64_t>(1, total / options.count);
    pieces = std::clamp<uint64_t>((weight + wanted / 2) / wanted, 1,
                                  context.params.maxPartitions);
  } else if (options.mode == PartitionMode::Balanced)
    pieces = stablePieces(weight, context.params.hostPartitionInstructions,
                          context.params.maxPartitions);
  std::vector<size_t> ends;
  if (pieces < run.size())
    ends = cutBalanced(context, run, begin, pieces);
  else // one atom each
    for (size_t i = 1; i <= run.size(); ++i)
      ends.push_back(i);
  size_t first = 0;
  for (size_t last : ends) {
    addPartition(context, run.slice(first, last - first), map);
    first = last;
  }
}

void partitionHost(const WpaContext &context, const PartitionOptions &options,
                   PartitionMap &map) {
  std::vector<Level> levels = findLevels(context.program);
  std::vector<Atom> atoms = collectAtoms(context, levels);
  connectAtoms(context, atoms);
  uint64_t total = 0;
  for (const Atom &atom : atoms)
    total += atom.weight;
  for (size_t begin = 0, i = 0; i <= atoms.size(); ++i)
    if (begin < i && isLastOfRun(levels, atoms, begin, i, options.mode)) {
      cutRun(context, atoms, begin, i, options, total, map);
      begin = i;
    }
}

} // namespace gpulto
