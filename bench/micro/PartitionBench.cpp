//===- PartitionBench.cpp - Quality of partitions of generated programs ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   gpulto-partition-bench [--functions=N] [--files=N] [--kernels=N]
//                          [--families=N] [--seed=N] [--giant=N] [--edits=N]
//                          [--param=NAME=VALUE]...
//
// Generates the summaries of a program, cuts it as a link does (without folds
// and clones), and prints as JSON what the cuts are worth, for each side:
//
//   imbalance   longest partition, in parts of what no cut can go below: the
//               mean or the largest atom (device: a kernel with its callees)
//   host        edges that cross, bodies imported, modules read by each job
//   device      code compiled in more than one partition, in parts of all
//   edits       partitions without the edited body that another edit of one
//               weight or one call changes, on average; 0 is best
//
// --giant: instructions of one kernel among the others.
//
//===----------------------------------------------------------------------===//

#include "bench/gen/SummaryGenerator.h"
#include "ipa/inlining/Inlining.h"
#include "ipa/symbols/Visibility.h"
#include "lto/job/JobPhases.h"
#include "partitioner/Partition.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <memory>
#include <random>
#include <set>

using namespace gpulto;
using namespace llvm;

static cl::opt<unsigned> functions("functions", cl::init(10000));
static cl::opt<unsigned> files("files", cl::init(0));
static cl::opt<unsigned> kernels("kernels", cl::init(200));
static cl::opt<unsigned> families("families", cl::init(0));
static cl::opt<uint64_t> seed("seed", cl::init(1));
static cl::opt<unsigned> giant("giant", cl::init(0));
static cl::opt<unsigned> edits("edits", cl::init(0));
static cl::list<std::string> settings("param");

static std::vector<CombinedModule> readModules(ArrayRef<GeneratedUnit> units) {
  std::vector<CombinedModule> modules;
  StringSet<> defined;
  for (auto [file, unit] : enumerate(units))
    for (StringRef bytes : {StringRef(unit.host), StringRef(unit.device)}) {
      if (bytes.empty())
        continue;
      resolveGenerated(modules.emplace_back(readGenerated(bytes, file)),
                       defined);
      modules.back().tag = formatv("t{0}", file).str();
    }
  return modules;
}

namespace {
/// A program that is cut.
struct CutProgram {
  explicit CutProgram(std::vector<CombinedModule> modules);
  GlobalId functionAt(ModuleIndex module, uint32_t number) const {
    return summary.id(
        module, summary.modules()[module].summary.functions[number].symbol);
  }

  CombinedSummary summary;
  std::unique_ptr<CallGraph> graph;
  Params params;
  Diagnostics diagnostics;
  std::unique_ptr<WpaContext> context;
  PartitionMap map;
  double cutSeconds = 0;
  double boundarySeconds = 0;
};
} // namespace

CutProgram::CutProgram(std::vector<CombinedModule> modules) {
  for (CombinedModule &module : modules)
    summary.addModule(std::move(module));
  for (const std::string &setting : settings)
    cantFail(params.set(setting));
  cantFail(summary.resolve());
  graph = std::make_unique<CallGraph>(summary);
  context.reset(
      new WpaContext{summary, *graph, params, diagnostics, false, {}});
  cantFail(findVisible(*context));
  chooseInlining(*context, Callers(*context));
  double start = usedCpuSeconds();
  map.home.assign(summary.symbolCount(), kNone);
  partitionHost(*context, {}, map);
  for (ImageIndex i = 1; i < summary.images().size(); ++i)
    partitionDevice(*context, i, {}, map);
  cutSeconds = usedCpuSeconds() - start;
  decideBoundaries(*context, BitVector(summary.symbolCount()), map);
  boundarySeconds = usedCpuSeconds() - start - cutSeconds;
}

/// Returns what the definitions of the host's largest atom weigh.
static uint64_t largestHostAtom(const CutProgram &program) {
  std::map<std::pair<ModuleIndex, uint32_t>, uint64_t> atoms;
  uint64_t largest = 0;
  for (const Partition &partition : program.map.partitions)
    for (const PartitionSymbol &define : partition.defines) {
      if (partition.image != kHostImage)
        continue;
      uint64_t &weight = atoms[{program.summary.moduleOf(define.id),
                                program.summary.symbol(define.id).atom}];
      weight += definitionWeight(program.summary, define.id);
      largest = std::max(largest, weight);
    }
  return largest;
}

/// Returns what the heaviest kernel weighs with all it reaches.
static uint64_t largestKernel(const CutProgram &program) {
  uint64_t largest = 0;
  for (const Partition &partition : program.map.partitions)
    for (const PartitionSymbol &define : partition.defines) {
      if (partition.image == kHostImage ||
          !program.summary.symbol(define.id).has(kKernel))
        continue;
      uint64_t weight = 0;
      DenseSet<GlobalId> seen;
      std::vector<GlobalId> worklist{define.id};
      while (!worklist.empty()) {
        GlobalId id = worklist.back();
        worklist.pop_back();
        if (!seen.insert(id).second)
          continue;
        weight += definitionWeight(program.summary, id);
        for (const GraphEdge &edge : program.graph->edges(id))
          if (edge.kind != EdgeKind::Device)
            worklist.push_back(edge.target);
      }
      largest = std::max(largest, weight);
    }
  return largest;
}

static json::Object describeBalance(const CutProgram &program, bool isHost,
                                    uint64_t largestAtom) {
  uint64_t count = 0, total = 0, longest = 0;
  for (const Partition &partition : program.map.partitions)
    if ((partition.image == kHostImage) == isHost) {
      ++count;
      total += partition.weight;
      longest = std::max(longest, partition.weight);
    }
  double bound = std::max<double>(largestAtom, double(total) / count);
  return json::Object{{"partitions", int64_t(count)},
                      {"mean", double(total) / count},
                      {"longest", int64_t(longest)},
                      {"largest-atom", int64_t(largestAtom)},
                      {"imbalance", longest / bound}};
}

static json::Object describeHost(const CutProgram &program) {
  json::Object result =
      describeBalance(program, true, largestHostAtom(program));
  const PartitionMap &map = program.map;
  uint64_t edges = 0, crossing = 0, imports = 0, importWeight = 0, opened = 0;
  for (auto [p, partition] : enumerate(map.partitions)) {
    if (partition.image != kHostImage)
      continue;
    std::set<ModuleIndex> modules;
    for (const PartitionSymbol &define : partition.defines) {
      modules.insert(program.summary.moduleOf(define.id));
      for (const GraphEdge &edge : program.graph->edges(define.id)) {
        if (edge.kind == EdgeKind::Device || map.home[edge.target] == kNone)
          continue;
        ++edges;
        crossing += map.home[edge.target] != p;
      }
    }
    opened += modules.size();
    imports += partition.imports.size();
    for (GlobalId id : partition.imports)
      importWeight += definitionWeight(program.summary, id);
  }
  result["edges"] = int64_t(edges);
  result["crossing"] = double(crossing) / std::max<uint64_t>(1, edges);
  result["imports"] = int64_t(imports);
  result["import-weight"] = int64_t(importWeight);
  result["modules-defining"] = int64_t(opened);
  return result;
}

static json::Object describeDevice(const CutProgram &program) {
  json::Object result = describeBalance(program, false, largestKernel(program));
  std::map<GlobalId, uint64_t> times;
  for (const Partition &partition : program.map.partitions)
    if (partition.image != kHostImage)
      for (const PartitionSymbol &define : partition.defines)
        ++times[define.id];
  uint64_t once = 0, more = 0;
  for (auto [id, n] : times) {
    uint64_t weight = definitionWeight(program.summary, id);
    once += weight;
    more += (n - 1) * weight;
  }
  result["duplicated"] = double(more) / std::max<uint64_t>(1, once);
  return result;
}

/// Returns what tells one partition from others: side and definitions.
static std::set<std::vector<GlobalId>> contents(const CutProgram &program) {
  std::set<std::vector<GlobalId>> result;
  for (const Partition &partition : program.map.partitions) {
    std::vector<GlobalId> ids;
    for (const PartitionSymbol &define : partition.defines)
      ids.push_back(define.id);
    result.insert(std::move(ids));
  }
  return result;
}

/// Counts the partitions of \p after that \p before does not have, those with
/// \p edited left out.
static uint64_t countChanged(const std::set<std::vector<GlobalId>> &before,
                             const std::set<std::vector<GlobalId>> &after,
                             GlobalId edited) {
  uint64_t changed = 0;
  for (const std::vector<GlobalId> &ids : after)
    changed += !before.count(ids) && !is_contained(ids, edited);
  return changed;
}

/// Changes one weight by a tenth at most, or adds one call; returns whose.
static std::pair<ModuleIndex, uint32_t>
editSomething(std::vector<CombinedModule> &modules, Side side, bool addsCall,
              std::mt19937 &random) {
  while (true) {
    ModuleIndex m = random() % modules.size();
    ModuleSummary &summary = modules[m].summary;
    if (summary.side != side || summary.functions.empty())
      continue;
    uint32_t number = random() % summary.functions.size();
    FunctionSummary &function = summary.functions[number];
    if (!addsCall) {
      uint32_t change = 1 + random() % (function.instructionCount / 10 + 1);
      function.instructionCount += change;
      return {m, number};
    }
    CallEdge call;
    call.callee = random() % summary.symbols.size();
    if (summary.symbols[call.callee].kind != SymbolKind::Function ||
        summary.symbols[call.callee].has(kKernel))
      continue;
    Range old = function.calls;
    function.calls.first = summary.calls.size();
    for (uint32_t i = 0; i < old.count; ++i)
      summary.calls.push_back(CallEdge(summary.calls[old.first + i]));
    summary.calls.push_back(call);
    ++function.calls.count;
    return {m, number};
  }
}

/// Edits \p modules in some ways, one at a time, and describes what moves.
static json::Object describeEdits(const std::vector<CombinedModule> &modules,
                                  const CutProgram &program) {
  std::set<std::vector<GlobalId>> before = contents(program);
  std::mt19937 random(seed);
  json::Object result;
  for (Side side : {Side::Host, Side::Device})
    for (bool addsCall : {false, true}) {
      uint64_t changed = 0, edited = 0;
      for (unsigned i = 0; i < edits; ++i) {
        std::vector<CombinedModule> copy = modules;
        auto [m, number] = editSomething(copy, side, addsCall, random);
        CutProgram after(std::move(copy));
        uint64_t here =
            countChanged(before, contents(after), after.functionAt(m, number));
        changed += here;
        edited += here != 0;
      }
      StringRef what = side == Side::Host
                           ? (addsCall ? "host-call" : "host-weight")
                           : (addsCall ? "device-call" : "device-weight");
      result[what] =
          json::Object{{"changed", double(changed) / edits},
                       {"edits-that-change", double(edited) / edits}};
    }
  return result;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv,
                              "quality of partitions of generated programs\n");
  GeneratorOptions shape{files ? files : std::max(1u, functions / 100),
                         functions, kernels, seed, families};
  std::vector<GeneratedUnit> units;
  for (uint32_t file = 0; file < shape.files; ++file)
    units.push_back(generateUnit(shape, file));
  std::vector<CombinedModule> modules = readModules(units);
  if (giant && kernels) // the first function of the first device module
    for (FunctionSummary &function : modules[1].summary.functions)
      if (modules[1].summary.symbols[function.symbol].has(kKernel)) {
        function.instructionCount = giant;
        break;
      }
  CutProgram program(modules);
  json::Object result{{"functions", int64_t(functions)},
                      {"kernels", int64_t(kernels)},
                      {"families", int64_t(families)},
                      {"seed", int64_t(seed)},
                      {"cut-seconds", program.cutSeconds},
                      {"boundary-seconds", program.boundarySeconds},
                      {"host", describeHost(program)}};
  if (kernels)
    result["device"] = describeDevice(program);
  if (edits)
    result["edits"] = describeEdits(modules, program);
  outs() << formatv("{0:2}", json::Value(std::move(result))) << '\n';
  return 0;
}
