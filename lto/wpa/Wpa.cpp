//===- Wpa.cpp - Whole-program analysis -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/wpa/Wpa.h"

#include "lto/wpa/JobBuilder.h"
#include "lto/wpa/WpaPasses.h"
#include "lto/wpa/WpaUnits.h"
#include "summary/CallGraph.h"
#include "summary/CombinedModule.h"
#include "summary/WpaContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <memory>

using namespace llvm;

namespace gpulto {

/// Returns what stays the same of \p module when it is edited and is the same
/// in no other module of a program: the first of the strong names that it
/// defines. A module without one is its contents. \p output: identity of the
/// output where it meets others; empty: it does not.
static std::string identityOf(const WpaModule &module, StringRef output) {
  const ModuleSummary &summary = module.module.summary;
  StringRef first;
  for (const SymbolRecord &symbol : summary.symbols)
    if (symbol.linkage == Linkage::External && !symbol.isDeclaration() &&
        symbol.kind != SymbolKind::Assembly &&
        (first.empty() || symbol.name < first))
      first = symbol.name;
  StableHasher hasher;
  hasher.add(summary.arch);
  hasher.add(first);
  if (first.empty())
    hasher.add(module.bitcode.digest);
  if (!output.empty())
    hasher.add(output);
  return hasher.finish().hex();
}

/// Returns what tells the result of `-r` of \p modules from others, which may
/// have some of the same modules and be linked with it.
static std::string identityOfOutput(ArrayRef<WpaModule> modules) {
  StableHasher hasher;
  for (const WpaModule &module : modules)
    hasher.add(module.bitcode.digest);
  return hasher.finish().hex();
}

/// Gives each module its suffix for promoted names: a part of its identity, and
/// a number for modules of one identity. No path goes in.
static void assignTags(std::vector<WpaModule> &modules, bool isRelocatable) {
  constexpr size_t kTagDigits = 12;
  std::string output = isRelocatable ? identityOfOutput(modules) : "";
  StringMap<unsigned> seen;
  for (WpaModule &module : modules) {
    std::string tag = identityOf(module, output).substr(0, kTagDigits);
    unsigned copies = seen[tag]++;
    module.module.tag = copies ? tag + "_" + std::to_string(copies) : tag;
  }
}

/// Marks what the registration and the constructor list will refer to.
static BitVector findExternallyUsed(const WpaContext &context) {
  const CombinedSummary &program = context.program;
  BitVector used(program.symbolCount());
  auto mark = [&](ModuleIndex m, SymbolIndex symbol) {
    if (symbol != kNone)
      if (GlobalId id = program.definition(program.id(m, symbol)); id != kNone)
        used.set(id);
  };
  for (ModuleIndex m : program.images()[kHostImage].modules) {
    const ModuleSummary &summary = program.modules()[m].summary;
    for (const OffloadEntry &entry : summary.offloadEntries)
      mark(m, entry.hostSymbol);
    for (const StructorRecord &structor : summary.structors)
      mark(m, structor.function);
  }
  return used;
}

/// Assembly of modules that define nothing else, or nothing that is live, still
/// needs jobs to be put in. There are host partitions only so far.
static void addAssemblyPartitions(const CombinedSummary &program,
                                  PartitionMap &map) {
  for (ModuleIndex m : program.images()[kHostImage].modules) {
    uint32_t group = map.assemblyGroups.groupOf[m];
    bool hasOne = llvm::any_of(map.partitions, [&](const Partition &other) {
      return other.assemblyGroup == group;
    });
    if (hasOne || !program.modules()[m].summary.has(kHasModuleAsm))
      continue;
    map.partitions.emplace_back();
    map.partitions.back().assemblyGroup = group;
  }
}

static PartitionMap cutProgram(const WpaContext &context,
                               const PartitionOptions &options) {
  PartitionMap map;
  map.home.assign(context.program.symbolCount(), kNone);
  partitionHost(context, options, map);
  addAssemblyPartitions(context.program, map);
  for (ImageIndex i = kHostImage + 1; i < context.program.images().size(); ++i)
    partitionDevice(context, i, options, map);
  decideBoundaries(context, findExternallyUsed(context), map);
  return map;
}

/// Returns what most saves space of what the objects say.
static ImageCompression compressionOf(const CombinedSummary &program) {
  uint32_t most = 0;
  for (const CombinedModule &module : program.modules())
    most = std::max(most, module.summary.compression());
  return most ? ImageCompression(most - 1) : ImageCompression::Zstd;
}

static void countProgram(const WpaContext &context, const PartitionMap &map,
                         Statistics &statistics) {
  const CombinedSummary &program = context.program;
  statistics.set("modules", program.modules().size());
  statistics.set("symbols", program.symbolCount());
  statistics.set("edges", context.graph.edgeCount());
  uint64_t definitions = 0;
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    definitions += program.definition(id) == id;
  statistics.set("definitions", definitions);
  statistics.set("live-definitions", context.decisions.live.count());
  uint64_t imports = 0;
  for (const Partition &partition : map.partitions) {
    imports += partition.imports.size();
    statistics.add(partition.image == kHostImage ? "host-partitions"
                                                 : "device-partitions");
  }
  statistics.set("imports", imports);
}

/// Cuts the program and says in \p plan which device module each part is in.
static void cutIntoParts(WpaTables &tables, const WpaOptions &options,
                         LinkPlan &plan, Statistics &statistics) {
  WpaContext &context = *tables.context;
  PhaseTimer timer(&statistics, "wpa-partition");
  tables.map = cutProgram(context, options.user.partitions);
  plan.deviceModuleCount = assignDeviceModules(context, tables.map);
  for (const Partition &partition : tables.map.partitions)
    plan.deviceModules.push_back(partition.deviceModule);
  statistics.set("device-modules", plan.deviceModuleCount);
  countProgram(context, tables.map, statistics);
}

/// Says in \p plan what the rest of the link asks of the program.
static void describeProgram(const CombinedSummary &program, LinkPlan &plan) {
  for (const Image &image : ArrayRef(program.images()).drop_front())
    plan.architectures.push_back(image.arch);
  plan.compression = compressionOf(program);
  const Image &host = program.images()[kHostImage];
  if (host.modules.empty())
    return;
  const ModuleSummary &first = program.modules()[host.modules.front()].summary;
  plan.hostTriple = first.targetTriple.str();
  plan.hostDataLayout = first.dataLayout.str();
}

Expected<LinkPlan> planLink(std::vector<WpaModule> modules,
                            ArrayRef<NativeCode> native,
                            const WpaOptions &options, Diagnostics &diagnostics,
                            Statistics &statistics) {
  assignTags(modules, options.isRelocatable);
  auto tables = std::make_unique<WpaTables>(options);
  if (Error error =
          separateUnits(modules, native, options.isRelocatable, tables->names))
    return error;
  // From here on equal device names are one symbol.
  CombinedSummary &program = tables->program;
  for (WpaModule &module : modules) {
    tables->bitcode.push_back(std::move(module.bitcode));
    program.addModule(std::move(module.module));
  }
  for (const NativeCode &code : native)
    program.addNativeCode(code);
  PhaseTimer resolveTimer(&statistics, "wpa-resolve");
  // From here on no module is added.
  if (Error error = program.resolve(options.threads))
    return error;
  CallGraph &graph = tables->graph.emplace(program, options.threads);
  WpaContext &context =
      tables->context.emplace(WpaContext{program,
                                         graph,
                                         tables->options.user.params,
                                         diagnostics,
                                         options.isRelocatable,
                                         {},
                                         options.user.analysis,
                                         options.native,
                                         {},
                                         options.threads});
  resolveTimer.stop();

  // lto/link/Passes.def says what holds after each of them.
  WpaState state{program, graph, context, options.user.icf, statistics};
  if (Error error = propagateAll(state))
    return error;

  // From here on decisions are fixed.
  LinkPlan plan;
  cutIntoParts(*tables, options, plan, statistics);
  state.callers.reset();
  tables->foldNumbers = std::move(state.foldNumbers);

  // From here on jobs can be made.
  PhaseTimer jobsTimer(&statistics, "wpa-jobs");
  auto jobs = std::make_unique<JobBuilder>(std::move(tables));
  plan.folds = std::move(state.folds);
  plan.inlining = std::move(state.inlining);
  plan.transfers = makeTransferTable(context);
  plan.launches = jobs->launches();
  plan.registration = jobs->registration();
  plan.usesManaged = jobs->usesManaged();
  plan.forms = jobs->deviceForms();
  describeProgram(program, plan);
  plan.jobs = std::move(jobs);
  return plan;
}

} // namespace gpulto
