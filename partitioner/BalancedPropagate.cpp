//===- BalancedPropagate.cpp - Host partitions of even weight -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: make partitions of even weight that few calls and references cross.
//
//   modules   | a.cpp      | b.cpp        | c.cpp    |
//   atoms     | 1 2 3 4 5  | 6 7 8 9 10   | 11 12    |
//   cuts      |    1..6           |   7..12         |
//
// 1. collectAtoms: what must stay together (COMDAT groups, aliases, ...), in
//    module order; atoms of one -O level are cut apart from those of another,
//    since a partition is compiled at one level, and so are atoms of modules
//    whose module-wide options differ (lto/lgen/ModuleFlags.h) or whose
//    assembly would clash (partitioner/AssemblyGroups).
// 2. buildGraph: what atoms share: definitions that several use, bodies that
//    would be imported, modules that several jobs would read.
// 3. cutRun: the sequence is cut into even pieces where that costs little, then
//    atoms move to where they cost less (partitioner/CutGraph).
//
// Source: that the order of the source files is a good linear order, so that a
// general minimum cut, which costs O(n^2), gains little, is an observation of
// lto_balanced_map in GCC's lto-partition.cc (J. Hubicka). Its walk from left
// to right is not used: an edit moves all cuts after it.
//
//===----------------------------------------------------------------------===//

#include "partitioner/CutGraph.h"
#include "partitioner/Partition.h"
#include "summary/CombinedModule.h"
#include "support/Parallel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
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
};
} // namespace

/// What all modules of a partition have in common.
using Level = std::tuple<uint8_t, uint8_t, uint64_t, uint64_t, uint32_t>;

/// Returns the level of each module.
static std::vector<Level> findLevels(const CombinedSummary &program,
                                     ArrayRef<uint32_t> assemblyGroups) {
  std::vector<Level> levels;
  for (auto [module, group] : zip_equal(program.modules(), assemblyGroups)) {
    const ModuleSummary &summary = module.summary;
    levels.push_back({summary.optLevel, summary.sizeLevel,
                      summary.codegenDigest.lo, summary.codegenDigest.hi,
                      group});
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
      if (!context.decisions.live.test(id) || program.definition(id) != id ||
          symbol.has(kCopyable))
        continue;
      size_t position = atoms.size();
      if (symbol.atom != kNone)
        position = atomOf.try_emplace(symbol.atom, position).first->second;
      if (position == atoms.size())
        atoms.push_back({m, {}, 0});
      atoms[position].members.push_back(id);
      atoms[position].weight += definitionWeight(program, id);
    }
  }
  return atoms;
}

/// Moves what is gone when its only call is inlined to where the call is, since
/// elsewhere its code would be left over.
static void joinOnlyUses(const WpaContext &context, ArrayRef<Level> levels,
                         std::vector<Atom> &atoms) {
  std::vector<uint32_t> atomOf(context.program.symbolCount(), kNone);
  for (auto [i, atom] : enumerate(atoms))
    for (GlobalId id : atom.members)
      atomOf[id] = i;
  std::vector<size_t> into(atoms.size());
  std::iota(into.begin(), into.end(), 0);
  for (auto [i, atom] : enumerate(atoms))
    for (GlobalId id : atom.members)
      for (const InlinedCall &call : context.decisions.inlinedCallsOf(id)) {
        uint32_t callee = atomOf[call.callee];
        if (call.isOnlyUse && callee != kNone &&
            atoms[callee].members.size() == 1 &&
            levels[atoms[callee].module] == levels[atom.module])
          into[callee] = i;
      }
  for (auto [i, atom] : enumerate(atoms)) {
    size_t target = into[i];
    while (into[target] != target)
      target = into[target];
    if (target == i)
      continue;
    atoms[target].members.push_back(atom.members.front());
    atoms[target].weight += atom.weight;
    atom.members.clear();
  }
  llvm::erase_if(atoms, [](const Atom &atom) { return atom.members.empty(); });
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

static void addPartition(const WpaContext &context,
                         ArrayRef<const Atom *> atoms, uint32_t assemblyGroup,
                         PartitionMap &map) {
  const ModuleSummary &summary =
      context.program.modules()[atoms.front()->module].summary;
  Partition partition;
  partition.image = kHostImage;
  partition.optLevel = summary.optLevel;
  partition.sizeLevel = summary.sizeLevel;
  partition.codegenDigest = summary.codegenDigest;
  partition.assemblyGroup = assemblyGroup;
  for (const Atom *atom : atoms) {
    partition.weight += atom->weight;
    for (GlobalId id : atom->members) {
      map.home[id] = map.partitions.size();
      partition.defines.push_back({id, FinalLinkage::Preserved});
    }
  }
  llvm::sort(partition.defines,
             [](const auto &a, const auto &b) { return a.id < b.id; });
  map.partitions.push_back(std::move(partition));
}

namespace {
/// All atoms, and where definitions are among them.
struct AtomTable {
  std::vector<Atom> atoms;
  std::vector<uint32_t> atomOf; // by GlobalId; kNone: in none
  /// By GlobalId: numbers the members of atoms in the order of these.
  std::vector<uint32_t> number;
};

/// Atoms [begin, end) of the table, which may share a partition.
struct AtomRun {
  const AtomTable &table;
  uint32_t begin = 0;
  uint32_t end = 0;

  ArrayRef<Atom> atoms() const {
    return ArrayRef(table.atoms).slice(begin, end - begin);
  }
  bool contains(uint32_t atom) const { return atom >= begin && atom < end; }
};
} // namespace

static AtomTable tabulate(const WpaContext &context, ArrayRef<Level> levels,
                          PartitionMode mode) {
  AtomTable table;
  table.atoms = collectAtoms(context, levels);
  if (mode == PartitionMode::Balanced || mode == PartitionMode::One)
    joinOnlyUses(context, levels, table.atoms);
  table.atomOf.assign(context.program.symbolCount(), kNone);
  table.number.assign(context.program.symbolCount(), kNone);
  uint32_t number = 0;
  for (auto [i, atom] : enumerate(table.atoms))
    for (GlobalId id : atom.members) {
      table.atomOf[id] = i;
      table.number[id] = number++;
    }
  return table;
}

/// Calls \p visit for each use of a definition of \p run by another atom of it,
/// with that atom's number in the run.
template <typename Visitor>
static void forEachUse(const WpaContext &context, const AtomRun &run,
                       Visitor &&visit) {
  for (uint32_t i = run.begin; i < run.end; ++i)
    for (GlobalId id : run.table.atoms[i].members)
      for (const GraphEdge &edge : context.graph.edges(id)) {
        uint32_t other = run.table.atomOf[edge.target];
        if (edge.kind != EdgeKind::Device && other != i && run.contains(other))
          visit(edge.target, i - run.begin);
      }
}

/// Adds to \p graph a net for each definition of \p run that other atoms use:
/// they name it, and import its body if it is small.
static void addUses(const WpaContext &context, const AtomRun &run,
                    Hypergraph &graph) {
  uint32_t first = run.table.number[run.atoms().front().members.front()];
  uint32_t last = run.table.number[run.atoms().back().members.back()];
  std::vector<uint32_t> ends(last - first + 2); // of the users of each
  forEachUse(context, run, [&](GlobalId used, uint32_t) {
    ++ends[run.table.number[used] - first + 1];
  });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<uint32_t> users(ends.back());
  std::vector<uint32_t> next(ends.begin(), ends.end() - 1);
  forEachUse(context, run, [&](GlobalId used, uint32_t user) {
    users[next[run.table.number[used] - first]++] = user;
  });
  std::vector<uint32_t> pins;
  size_t begin = 0;
  for (auto [i, atom] : enumerate(run.atoms()))
    for (GlobalId id : atom.members) {
      size_t end = ends[run.table.number[id] - first + 1];
      auto row = llvm::ArrayRef(users).slice(begin, end - begin);
      pins.assign(row.begin(), row.end());
      pins.erase(std::unique(pins.begin(), pins.end()), pins.end());
      pins.push_back(i);
      graph.addNet({context.params.partitionCrossingInstructions +
                    importWeight(context, id)},
                   pins);
      begin = end;
    }
}

/// Returns \p run with what its atoms share.
static Hypergraph buildGraph(const WpaContext &context, const AtomRun &run) {
  Hypergraph graph;
  std::vector<ModuleIndex> modules; // atoms of one module are neighbors
  std::vector<uint64_t> anchors(run.atoms().size());
  forEachPiece(context.threads, anchors.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      anchors[i] = anchorOf(context.program, run.atoms()[i].members.front());
  });
  for (auto [atom, anchor] : zip(run.atoms(), anchors)) {
    graph.addVertex({atom.weight, anchor});
    modules.push_back(atom.module);
  }
  addUses(context, run, graph);
  graph.addRuns({context.params.partitionModuleInstructions}, modules);
  graph.finish();
  return graph;
}

/// Returns the weight that partitions of a program of weight \p total aim at.
static uint64_t aimedInstructions(const Params &params, bool isFine,
                                  uint64_t total) {
  // Few partitions do not end together: lua in 4 instead of 2 takes 0.82 of the
  // wall time on two cores, at the same processor time. An edit changes 1.2 to
  // 1.3 partitions, so with fine ones it is to be one of 24 in small programs.
  constexpr uint64_t kEnoughPartitions = 4, kEnoughForEdits = 24;
  constexpr uint64_t kLeastForEdits = 500;
  if (isFine)
    return std::clamp<uint64_t>(total / kEnoughForEdits, kLeastForEdits,
                                params.hostFinePartitionInstructions);
  uint64_t most = params.hostPartitionInstructions;
  return std::clamp(total / kEnoughPartitions, most / 2, most);
}

/// Returns the partition of each atom of \p run; \p total: the weight of all
/// runs.
static std::vector<uint32_t> cutBalanced(const WpaContext &context,
                                         const AtomRun &run,
                                         const PartitionOptions &options,
                                         uint64_t total) {
  GraphCutOptions how =
      graphCutOptions(context.params, options.count, total,
                      aimedInstructions(context.params, options.isFine, total));
  std::vector<uint32_t> order(run.end - run.begin);
  std::iota(order.begin(), order.end(), 0);
  return cutGraph(buildGraph(context, run), order, how);
}

/// Cuts \p run into partitions.
static void cutRun(const WpaContext &context, const AtomRun &run,
                   const PartitionOptions &options, uint64_t total,
                   uint32_t assemblyGroup, PartitionMap &map) {
  std::vector<uint32_t> partOf(run.end - run.begin);
  if (options.mode == PartitionMode::Max)
    std::iota(partOf.begin(), partOf.end(), 0);
  else if (options.mode == PartitionMode::Balanced)
    partOf = cutBalanced(context, run, options, total);
  std::vector<std::vector<const Atom *>> parts(*llvm::max_element(partOf) + 1);
  for (auto [i, atom] : enumerate(run.atoms()))
    parts[partOf[i]].push_back(&atom);
  for (ArrayRef<const Atom *> part : parts)
    addPartition(context, part, assemblyGroup, map);
}

void partitionHost(const WpaContext &context, const PartitionOptions &options,
                   PartitionMap &map) {
  map.assemblyGroups = separateAssembly(context);
  ArrayRef<uint32_t> groupOf = map.assemblyGroups.groupOf;
  std::vector<Level> levels = findLevels(context.program, groupOf);
  AtomTable table = tabulate(context, levels, options.mode);
  uint64_t total = 0;
  for (const Atom &atom : table.atoms)
    total += atom.weight;
  for (uint32_t begin = 0, i = 0; i <= table.atoms.size(); ++i)
    if (begin < i && isLastOfRun(levels, table.atoms, begin, i, options.mode)) {
      ModuleIndex first = table.atoms[begin].module;
      cutRun(context, {table, begin, i}, options, total, groupOf[first], map);
      begin = i;
    }
}

} // namespace gpulto
