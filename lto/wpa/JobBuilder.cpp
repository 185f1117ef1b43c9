//===- JobBuilder.cpp - LTRANS jobs out of a partition map ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/wpa/JobBuilder.h"

#include "fatobj/DeviceImage.h"
#include "lto/lgen/ManagedVariables.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

static StringRef withoutEscape(StringRef name) {
  name.consume_front("\1");
  return name;
}

/// Returns the name under which the linker will know definition \p id.
std::string JobBuilder::finalName(GlobalId id) const {
  const CombinedModule &module = program.moduleRef(id);
  const SymbolRecord &symbol = program.symbol(id);
  if (symbol.isLocal() && promoted.test(id))
    return promotedName(withoutEscape(symbol.name), module.tag);
  return withoutEscape(symbol.name).str();
}

/// Returns the name of definition \p id while bodies move.
std::string JobBuilder::movingName(GlobalId id) const {
  const SymbolRecord &symbol = program.symbol(id);
  return symbol.isLocal() ? promotedName(symbol.name, program.moduleRef(id).tag)
                          : symbol.name.str();
}

std::string JobBuilder::cloneName(GlobalId id, uint32_t clone) const {
  if (program.symbol(id).has(kKernel))
    return movingName(id) + kernelCloneSuffix(clone);
  return promotedName(movingName(id), "cp" + std::to_string(clone));
}

Digest JobBuilder::contentsOf(GlobalId id) const {
  if (const FunctionSummary *function = program.function(id))
    return function->contentDigest;
  if (const VariableSummary *variable = program.variable(id))
    return variable->contentDigest;
  return Digest();
}

/// Returns the plans of \p id as a job has them, with names for numbers.
std::vector<JobBody> JobBuilder::bodiesOf(GlobalId id) const {
  std::vector<JobBody> bodies;
  // What was decided of a body that is not used is void.
  if (program.jumpTarget(id) != kNone)
    return bodies;
  for (const BodyPlan &plan : context.decisions.plansOf(id)) {
    JobBody body;
    if (plan.clone) {
      body.clone = cloneName(id, plan.clone);
      // The runtime finds a kernel by its name.
      body.cloneLinkage = program.symbol(id).has(kKernel)
                              ? FinalLinkage::Preserved
                          : map.sharedClones.contains({id, plan.clone})
                              ? FinalLinkage::Hidden
                              : FinalLinkage::Internal;
    }
    body.facts = plan.facts;
    for (ValueFact &fact : body.facts.values) {
      if (fact.symbol == kNone)
        continue;
      fact.symbolName = movingName(fact.symbol);
      fact.isFunction =
          program.symbol(fact.symbol).kind == SymbolKind::Function;
      fact.symbol = kNone;
    }
    for (const CallRedirect &redirect : plan.redirects)
      body.redirects.push_back({redirect.call,
                                cloneName(redirect.callee, redirect.clone),
                                redirect.isHandle});
    body.copies = plan.copies;
    body.records = plan.records;
    body.guard = plan.guard;
    body.overlap = plan.overlap;
    if (plan.guarded)
      body.guarded = cloneName(id, plan.guarded);
    bodies.push_back(std::move(body));
  }
  return bodies;
}

JobSymbol JobBuilder::makeSymbol(GlobalId id, JobRole role,
                                 FinalLinkage linkage) const {
  const FunctionSummary *function = program.function(id);
  JobSymbol symbol = {program.symbol(id).name.str(),
                      contentsOf(id),
                      role,
                      linkage,
                      bodiesOf(id),
                      function ? function->calls.count : 0,
                      {},
                      {},
                      {}};
  if (GlobalId leader = program.jumpTarget(id); leader != kNone)
    symbol.jumpsTo = movingName(leader);
  for (const InlinedCall &call : context.decisions.inlinedCallsOf(id))
    if (program.moduleOf(call.callee) != program.moduleOf(id))
      symbol.inlined.push_back({call.call, movingName(call.callee)});
  if (role == JobRole::Define)
    if (auto found = context.decisions.recursions.find(id);
        found != context.decisions.recursions.end())
      symbol.recursion = found->second;
  return symbol;
}

/// Returns the modules that the job of \p partition reads, ascending.
std::vector<ModuleIndex>
JobBuilder::findModules(const Partition &partition) const {
  std::vector<ModuleIndex> modules;
  for (const PartitionSymbol &define : partition.defines) {
    modules.push_back(program.moduleOf(define.id));
    for (GlobalId member : membersOf(define.id))
      modules.push_back(program.moduleOf(member)); // is read to be compared
  }
  for (GlobalId id : partition.imports)
    modules.push_back(program.moduleOf(id));
  llvm::sort(modules);
  modules.erase(llvm::unique(modules), modules.end());
  return modules;
}

/// Lists the symbols of partition \p index by module, then what becomes of
/// symbols that have been folded.
void JobBuilder::addSymbols(size_t index, LtransJob &job) const {
  struct Symbol {
    GlobalId id;
    JobRole role;
    FinalLinkage linkage;
  };
  const Partition &partition = map.partitions[index];
  std::vector<Symbol> symbols; // by id, and so by module
  DenseSet<GlobalId> defined;
  for (const PartitionSymbol &define : partition.defines) {
    symbols.push_back({define.id, JobRole::Define, define.linkage});
    defined.insert(define.id);
  }
  for (GlobalId id : partition.imports)
    symbols.push_back({id, JobRole::Import, FinalLinkage::Preserved});
  llvm::sort(symbols, [](const auto &a, const auto &b) { return a.id < b.id; });
  job.inputs.reserve(modulesOf[index].size());
  auto next = symbols.begin();
  for (ModuleIndex m : modulesOf[index]) {
    const CombinedModule &module = program.modules()[m];
    JobInput &input = job.inputs.emplace_back(known->bitcode[m]);
    input.tag = module.tag;
    input.isHome = homes[m] == index;
    input.emitsAssembly =
        assemblyHomes[m] == index && module.summary.has(kHasModuleAsm);
    if (llvm::binary_search(assemblyOnly, m))
      continue;
    for (; next != symbols.end() && program.moduleOf(next->id) == m; ++next)
      input.symbols.push_back(makeSymbol(next->id, next->role, next->linkage));
    for (auto [id, member] : program.foldedUses(m)) {
      GlobalId leader = program.definition(id);
      input.folds.push_back({program.symbol(id).name.str(), movingName(leader),
                             id == member && defined.contains(leader),
                             /*jumps=*/false, numberOf(member)});
    }
    for (GlobalId id : jumpers[m])
      if (GlobalId leader = program.jumpTarget(id); defined.contains(leader))
        input.folds.push_back({program.symbol(id).name.str(),
                               movingName(leader), /*merge=*/true,
                               /*jumps=*/true, numberOf(id)});
  }
}

/// Lists what is known of the functions and variables that \p partition names.
void JobBuilder::addFacts(const Partition &partition, LtransJob &job) const {
  const Decisions &decisions = context.decisions;
  std::vector<GlobalId> named;
  auto add = [&](GlobalId id) {
    named.push_back(id);
    for (const GraphEdge &edge : context.graph.edges(id))
      if (program.imageOf(edge.target) == partition.image)
        named.push_back(edge.target);
  };
  DenseSet<GlobalId> defined;
  for (const PartitionSymbol &define : partition.defines) {
    add(define.id);
    defined.insert(define.id);
  }
  llvm::for_each(partition.imports, add);
  llvm::sort(named);
  named.erase(llvm::unique(named), named.end());
  for (GlobalId id : named) {
    if (uint32_t number = numberOf(id); number != kNone)
      job.leaders.push_back({movingName(id), number});
    const VariableSummary *variable = program.variable(id);
    // Its size and alignment are for those who declare it, and that it is
    // constant (doubtForeignConstants).
    bool isElsewhere = !defined.contains(id);
    bool isUnwritten = decisions.isNeverWritten(id) ||
                       (isElsewhere && job.side == Side::Host &&
                        program.has(id, kConstant) && program.isExact(id));
    if (variable &&
        ((isElsewhere && job.side == Side::Device) || isUnwritten ||
         decisions.isNeverRead(id) || !decisions.knownBytesOf(id).empty()))
      job.variables.push_back({movingName(id), variable->sizeBytes,
                               variable->alignLog2, isUnwritten,
                               decisions.isNeverRead(id),
                               decisions.knownBytesOf(id).vec()});
    for (const SignatureChange &change : decisions.signaturesOf(id)) {
      job.signatures.push_back(
          {change.clone ? cloneName(id, change.clone) : movingName(id),
           change});
      job.signatures.back().change.clone = 0;
    }
    const FunctionDecisions *decided = decisions.decisionsOf(id);
    if (!decided || !decided->effects ||
        (job.side == Side::Device && !program.symbol(id).has(kKernel)))
      continue;
    job.functions.push_back({movingName(id), *decided});
    job.functions.back().decided.launches.places.clear();
    for (VariableUse &use : job.functions.back().decided.effects->variables) {
      use.name = movingName(use.variable);
      use.variable = kNone;
    }
  }
}

void JobBuilder::addStructors(LtransJob &job) const {
  for (ModuleIndex m : program.images()[kHostImage].modules)
    for (const StructorRecord &structor :
         program.modules()[m].summary.structors)
      if (GlobalId id = program.liveStructor(m, structor); id != kNone)
        job.structors.push_back(
            {structor.priority, finalName(id), structor.isDestructor});
}

/// Returns the first host partition of \p group.
uint32_t JobBuilder::firstOfAssemblyGroup(uint32_t group) const {
  auto found = llvm::find_if(map.partitions, [&](const Partition &partition) {
    return partition.image == kHostImage && partition.assemblyGroup == group;
  });
  assert(found != map.partitions.end() && "WPA makes one");
  return found - map.partitions.begin();
}

/// Debug info and assembly of a module go to the job that defines most of it;
/// assembly with which symbols go is where they are (LGEN makes them one atom),
/// and assembly of a module that defines nothing else goes to the first job
/// whose own assembly it does not clash with.
void JobBuilder::chooseHomes() {
  homes.assign(program.modules().size(), kNone);
  assemblyHomes.assign(program.modules().size(), kNone);
  std::vector<size_t> most(program.modules().size(), 0);
  for (auto [p, partition] : enumerate(map.partitions)) {
    DenseMap<ModuleIndex, size_t> defines; // looked up only
    for (const PartitionSymbol &define : partition.defines) {
      ModuleIndex m = program.moduleOf(define.id);
      ++defines[m];
      if (program.symbol(define.id).has(kWithAssembly))
        assemblyHomes[m] = p;
    }
    for (ModuleIndex m : modulesOf[p])
      if (size_t count = defines.lookup(m);
          homes[m] == kNone || count > most[m]) {
        most[m] = count;
        homes[m] = p;
      }
  }
  for (auto [m, module] : enumerate(program.modules())) {
    if (homes[m] == kNone && module.summary.has(kHasModuleAsm) &&
        module.image == kHostImage) {
      homes[m] = firstOfAssemblyGroup(map.assemblyGroups.groupOf[m]);
      assemblyOnly.push_back(m);
      auto &modules = modulesOf[homes[m]];
      modules.insert(llvm::lower_bound(modules, m), m);
    }
    if (assemblyHomes[m] == kNone)
      assemblyHomes[m] = homes[m];
  }
}

/// Returns whether an object asks for PTX of \p image; of another compiler's,
/// one that has some.
static bool asksForPtx(const CombinedSummary &program, const Image &image) {
  if (llvm::any_of(program.nativeCode(), [&](const NativeCode &code) {
        return code.arch == image.arch && code.hasPtx;
      }))
    return true;
  return llvm::any_of(image.modules, [&](ModuleIndex m) {
    const ModuleSummary &summary = program.modules()[m].summary;
    return summary.has(kBothForms) ||
           (summary.has(kNoCubin) && !summary.has(kNoPtx));
  });
}

/// Returns whether an object says nothing of PTX of \p image.
static bool leavesPtxOpen(const CombinedSummary &program, const Image &image) {
  return llvm::any_of(image.modules, [&](ModuleIndex m) {
    const ModuleSummary &summary = program.modules()[m].summary;
    return !summary.has(kBothForms) && !summary.has(kNoCubin) &&
           !summary.has(kNoPtx);
  });
}

/// Returns the image of the newest architecture without a letter, or
/// kHostImage if there is none.
ImageIndex JobBuilder::newestPlainImage() const {
  ImageIndex newest = kHostImage;
  for (ImageIndex i = kHostImage + 1; i < program.images().size(); ++i) {
    StringRef arch = program.images()[i].arch;
    if (isDigit(arch.back()) &&
        (newest == kHostImage ||
         archNameLess(program.images()[newest].arch, arch)))
      newest = i;
  }
  return newest;
}

bool JobBuilder::wantsPtx(ImageIndex image) const {
  auto images = ArrayRef(program.images()).drop_front();
  if (llvm::any_of(images, [&](const Image &other) {
        return asksForPtx(program, other);
      }))
    return asksForPtx(program, program.images()[image]);
  return image == newestPlainImage() &&
         leavesPtxOpen(program, program.images()[image]);
}

EmbedKind JobBuilder::formOf(ImageIndex image) const {
  if (options.user.embedGiven)
    return options.embed;
  for (const NativeCode &code : program.nativeCode())
    if (code.arch == program.images()[image].arch && !code.hasPtx)
      return EmbedKind::Cubin;
  const Image &code = program.images()[image];
  if (options.embed == EmbedKind::Ptx) {
    if (!asksForPtx(program, code) && !leavesPtxOpen(program, code))
      context.diagnostics.warning(
          InputLocation(), "the objects ask for a cubin without PTX for " +
                               program.images()[image].arch +
                               ", but there is no ptxas: PTX is embedded");
    return EmbedKind::Ptx;
  }
  bool wantsCubin = llvm::any_of(code.modules, [&](ModuleIndex m) {
    return !program.modules()[m].summary.has(kNoCubin);
  });
  return !wantsCubin       ? EmbedKind::Ptx
         : wantsPtx(image) ? EmbedKind::Both
                           : EmbedKind::Cubin;
}

/// Whether there are decisions in \p partition whose effect is to be checked.
bool JobBuilder::wantsKernelCheck(const Partition &partition) const {
  constexpr unsigned kFirstCheckedLevel = 2;
  if (options.user.kernelCheck == KernelCheckMode::Off ||
      (options.user.kernelCheck == KernelCheckMode::Auto &&
       partition.optLevel < kFirstCheckedLevel))
    return false;
  return llvm::any_of(partition.imports,
                      [&](GlobalId id) { return isPlanned(context, id); }) ||
         llvm::any_of(partition.defines, [&](const PartitionSymbol &define) {
           return isPlanned(context, define.id);
         });
}

DeviceCodegenOptions
JobBuilder::deviceOptions(const Partition &partition) const {
  ImageIndex image = partition.image;
  DeviceCodegenOptions device = options.device;
  device.wantCubin = forms[image] != EmbedKind::Ptx;
  device.checkKernels = wantsKernelCheck(partition);
  if (device.checkKernels && device.ptxas.empty()) {
    device.checkKernels = false;
    context.diagnostics.warning(
        "kernels that whole-program analysis changes are not compared with "
        "their plain builds: no ptxas was found; give --gpulto-cuda-path=DIR "
        "or --gpulto-check-kernels=off");
  }
  if (!device.wantCubin && !device.checkKernels)
    device.ptxas.clear();
  device.open = partition.isOpen;
  device.relocatable =
      program.hasNativeCode(image) ||
      llvm::count_if(map.partitions, [&](const Partition &other) {
        return other.image == image;
      }) > 1;
  return device;
}

/// Returns the bytes that a job of \p weight instructions is expected to take.
static uint64_t expectedMemory(Side side, uint64_t weight,
                               const Params &params) {
  uint64_t base = side == Side::Host ? params.ltransHostBaseBytes
                                     : params.ltransDeviceBaseBytes;
  return base + weight * params.ltransBytesPerInstruction;
}

JobHead JobBuilder::makeHead(size_t index) const {
  const Partition &partition = map.partitions[index];
  const Image &image = program.images()[partition.image];
  JobHead head;
  head.index = index;
  head.side = image.side;
  head.arch = image.arch;
  head.optLevel = partition.optLevel;
  head.sizeLevel = partition.sizeLevel;
  head.weight = partition.weight;
  head.memoryBytes = expectedMemory(head.side, head.weight, context.params);
  if (head.side == Side::Device)
    head.device = deviceOptions(partition);
  return head;
}

JobBuilder::JobBuilder(std::unique_ptr<const WpaTables> state)
    : known(std::move(state)), context(*known->context),
      program(known->program), map(known->map), options(known->options),
      foldNumbers(known->foldNumbers) {
  for (auto [member, leader] : program.folds())
    foldMembers[leader].push_back(member);
  jumpers.resize(program.modules().size());
  for (auto [member, leader] : program.jumps()) {
    foldMembers[leader].push_back(member);
    jumpers[program.moduleOf(member)].push_back(member);
  }
  promoted.resize(program.symbolCount());
  forms.push_back(EmbedKind::Both); // of the host: not used
  for (ImageIndex i = kHostImage + 1; i < program.images().size(); ++i)
    forms.push_back(formOf(i));
  for (const Partition &partition : map.partitions)
    for (const PartitionSymbol &define : partition.defines)
      if (define.linkage == FinalLinkage::Hidden)
        promoted.set(define.id);
  for (size_t p = 0; p < map.partitions.size(); ++p) {
    heads.push_back(makeHead(p));
    modulesOf.push_back(findModules(map.partitions[p]));
  }
  chooseHomes();
}

LtransJob JobBuilder::makeBody(size_t index) const {
  const Partition &partition = map.partitions[index];
  LtransJob job;
  job.side = heads[index].side;
  job.host = options.host;
  job.llvmOptions = options.llvmOptions;
  job.remarks = options.remarks;
  addSymbols(index, job);
  addFacts(partition, job);
  if (index == 0 && job.side == Side::Host)
    addStructors(job);
  return job;
}

/// Adds the clones of the kernel that \p original registers by its stub \p id:
/// each image has them under one name.
void JobBuilder::addClones(GlobalId id, const RegistrationEntry &original,
                           std::vector<RegistrationEntry> &entries) const {
  for (const BodyPlan &plan : context.decisions.plansOf(id))
    if (plan.clone) {
      RegistrationEntry entry = original;
      entry.hostSymbol = cloneName(id, plan.clone);
      entry.deviceName += kernelCloneSuffix(plan.clone);
      entries.push_back(std::move(entry));
    }
}

/// Returns what \p entry of the host's \p id is registered for: a kernel that
/// has been folded for its leader, which has one name in all images.
StringRef JobBuilder::deviceNameOf(GlobalId id,
                                   const OffloadEntry &entry) const {
  ArrayRef<GlobalId> counterparts = program.deviceCounterparts(id);
  return entry.kind != OffloadEntry::Kind::Kernel || counterparts.empty()
             ? entry.deviceName
             : withoutEscape(program.symbol(counterparts.front()).name);
}

/// Returns what the program registers: the live stubs and shadow variables of
/// the units whose definitions prevail.
std::vector<RegistrationEntry> JobBuilder::registration() const {
  std::vector<RegistrationEntry> entries;
  StringSet<> seen;
  for (ModuleIndex m : program.images()[kHostImage].modules)
    for (const OffloadEntry &entry :
         program.modules()[m].summary.offloadEntries) {
      if (entry.hostSymbol == kNone)
        continue;
      GlobalId id = program.id(m, entry.hostSymbol);
      if (program.definition(id) != id || !context.decisions.live.test(id) ||
          !seen.insert(entry.deviceName).second)
        continue;
      RegistrationEntry result;
      result.kind = entry.kind;
      result.hostSymbol = finalName(id);
      result.deviceName = deviceNameOf(id, entry).str();
      result.sizeBytes = entry.sizeBytes;
      result.isExtern = entry.isExtern;
      result.isConstant = entry.isConstant;
      result.isNormalized = entry.isNormalized;
      result.textureType = entry.textureType;
      if (ArrayRef<GlobalId> devices = program.deviceCounterparts(id);
          !devices.empty() && map.home[devices.front()] != kNone)
        result.deviceModule =
            map.partitions[map.home[devices.front()]].deviceModule;
      entries.push_back(result);
      if (entry.kind == OffloadEntry::Kind::Kernel)
        addClones(id, result, entries);
    }
  return entries;
}

std::map<std::string, KernelLaunches> JobBuilder::launches() const {
  std::map<std::string, KernelLaunches> all;
  for (GlobalId id = 0; id < program.symbolCount(); ++id)
    if (const FunctionDecisions *decided =
            program.symbol(id).has(kKernel) ? context.decisions.decisionsOf(id)
                                            : nullptr;
        decided && !decided->launches.shapes.empty())
      all.emplace(movingName(id), decided->launches);
  return all;
}

bool JobBuilder::usesManaged() const {
  return any_of(program.images()[kHostImage].modules, [&](ModuleIndex m) {
    return any_of(
        program.modules()[m].summary.symbols,
        [](const SymbolRecord &symbol) { return symbol.name == kInitManaged; });
  });
}

} // namespace gpulto
