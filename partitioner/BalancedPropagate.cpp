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
// 2. cut: walk the sequence; once a partition has 3/4 of its share, remember
//    the position with the lowest ratio of crossing to inner edges; at 5/4 of
//    the share go back to that position.
//
// Source: lto_balanced_map of GCC's lto-partition.cc (J. Hubicka), whose
// observation is that the order of the source files is a good linear order: a
// general minimum cut costs O(n^2) and gains little.
// Complexity: linear in atoms and edges; an edge is looked at twice at most.
//
//===----------------------------------------------------------------------===//

#include "partitioner/Partition.h"

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

/// The running cost of a partition that is being filled.
struct Boundary {
  uint64_t crossing = 0;
  uint64_t inner = 0;
  double ratio() const { return double(crossing) / double(inner + 1); }
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

/// Returns the end of the best partition that starts at atom \p begin and aims
/// at \p target, in the run of atoms that ends at \p end.
static size_t findCut(ArrayRef<Atom> atoms, size_t begin, size_t end,
                      uint64_t target) {
  Boundary boundary;
  uint64_t weight = 0;
  size_t best = end;
  double bestRatio = 0;
  for (size_t i = begin; i < end; ++i) {
    if (i != begin && weight + atoms[i].weight > target + target / 4)
      return best == end ? i : best;
    weight += atoms[i].weight;
    for (uint32_t other : atoms[i].neighbours) {
      bool isInside = other >= begin && other < i;
      boundary.crossing += isInside ? -1 : 1;
      boundary.inner += isInside;
    }
    if (weight >= target - target / 4 &&
        (best == end || boundary.ratio() <= bestRatio)) {
      best = i + 1;
      bestRatio = boundary.ratio();
    }
  }
  return end;
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

/// Cuts atoms [begin, end), which may share a partition, into pieces.
static void cutRun(const WpaContext &context, ArrayRef<Atom> atoms,
                   size_t begin, size_t end, const PartitionOptions &options,
                   uint64_t total, PartitionMap &map) {
  uint64_t left = 0;
  for (const Atom &atom : atoms.slice(begin, end - begin))
    left += atom.weight;
  bool isWhole = options.mode == PartitionMode::One ||
                 options.mode == PartitionMode::OneToOne;
  uint64_t wanted = context.params.hostPartitionInstructions;
  if (options.count)
    wanted = std::max<uint64_t>(1, total / options.count);
  uint64_t pieces =
      isWhole ? 1 : std::max<uint64_t>(1, (left + wanted / 2) / wanted);
  pieces = std::min<uint64_t>(pieces, context.params.maxPartitions);
  while (begin < end) {
    size_t cut = end;
    if (options.mode == PartitionMode::Max)
      cut = begin + 1;
    else if (pieces > 1)
      cut = findCut(atoms, begin, end, left / pieces);
    addPartition(context, atoms.slice(begin, cut - begin), map);
    left -= map.partitions.back().weight;
    begin = cut;
    pieces = std::max<uint64_t>(pieces, 2) - 1;
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
