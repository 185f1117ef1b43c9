//===- CombinedSummary.cpp - All modules of a link as one program ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/CombinedSummary.h"

#include "summary/CombinedModule.h"
#include "support/Parallel.h"
#include "support/UnitNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>

using namespace llvm;

namespace gpulto {

/// A leading \1 only says "do not mangle": it is no part of the name.
static CachedHashStringRef plainName(StringRef name) {
  name.consume_front("\1");
  return CachedHashStringRef(name);
}

static bool definesNothing(const SymbolRecord &symbol) {
  return symbol.isDeclaration() || symbol.kind == SymbolKind::Assembly ||
         symbol.linkage == Linkage::AvailableExternally ||
         symbol.linkage == Linkage::Appending ||
         symbol.linkage == Linkage::ExternalWeak || symbol.has(kRegistration);
}

/// Returns whether another definition may stand in for this one.
static bool isReplaceable(const SymbolRecord &symbol) {
  switch (symbol.linkage) {
  case Linkage::LinkOnceAny:
  case Linkage::LinkOnceODR:
  case Linkage::WeakAny:
  case Linkage::WeakODR:
  case Linkage::Common:
    return true;
  default:
    return false;
  }
}

/// Returns whether \p candidate is left out where native code defines the name,
/// too: all must use one variable, and one function that may differ from the
/// other. Of functions that are the same by the language ours keep their own.
static bool givesWay(const SymbolRecord &candidate) {
  bool isSame = candidate.linkage == Linkage::LinkOnceODR ||
                candidate.linkage == Linkage::WeakODR;
  return isReplaceable(candidate) &&
         !(isSame && candidate.kind == SymbolKind::Function);
}

CombinedSummary::CombinedSummary() = default;
CombinedSummary::CombinedSummary(CombinedSummary &&) noexcept = default;
CombinedSummary::~CombinedSummary() = default;

ArrayRef<CombinedModule> CombinedSummary::modules() const { return allModules; }

const CombinedModule &CombinedSummary::moduleRef(GlobalId id) const {
  return allModules[owner[id]];
}

uint8_t CombinedSummary::resolution(GlobalId id) const {
  return moduleRef(id).resolution[indexOf(id)];
}

void CombinedSummary::addNativeCode(NativeCode code) {
  allNative.push_back(std::move(code));
}

void CombinedSummary::addModule(CombinedModule module) {
  module.resolution.resize(module.summary.symbols.size(), 0);
  allModules.push_back(std::move(module));
}

Error CombinedSummary::resolve(unsigned threads) {
  numberSymbols();
  findBodies();
  names.resize(allImages.size());
  findKeptComdats();
  defineHostNames();
  Error errors = defineNativeNames();
  for (ImageIndex i = kHostImage + 1; i < allImages.size(); ++i)
    errors = joinErrors(std::move(errors), defineDeviceNames(i));
  if (errors)
    return errors;
  resolveUses(threads);
  findNativelyUsed();
  joinOffloadEntries();
  return Error::success();
}

/// Groups the modules into images, the host first and the architectures by
/// name, and numbers their symbols.
void CombinedSummary::numberSymbols() {
  std::vector<StringRef> architectures;
  for (const CombinedModule &module : allModules)
    if (module.summary.side == Side::Device)
      architectures.push_back(module.summary.arch);
  llvm::sort(architectures);
  architectures.erase(llvm::unique(architectures), architectures.end());
  allImages.push_back({Side::Host, "", {}});
  for (StringRef arch : architectures)
    allImages.push_back({Side::Device, arch.str(), {}});

  totalSymbols = 0;
  for (auto [i, module] : enumerate(allModules)) {
    if (module.summary.side == Side::Device)
      module.image =
          1 + (llvm::lower_bound(architectures, module.summary.arch) -
               architectures.begin());
    allImages[module.image].modules.push_back(i);
    module.firstSymbol = totalSymbols;
    totalSymbols += module.summary.symbols.size();
  }
  findTables();
}

void CombinedSummary::findTables() {
  tables.reserve(allModules.size());
  owner.reserve(totalSymbols);
  flags.reserve(totalSymbols);
  for (const CombinedModule &module : allModules) {
    const ModuleSummary &summary = module.summary;
    owner.insert(owner.end(), summary.symbols.size(), tables.size());
    for (const SymbolRecord &symbol : summary.symbols)
      flags.push_back(symbol.flags);
    tables.push_back({summary.symbols.data(), summary.parameters.data(),
                      summary.calls.data(), summary.references.data(),
                      summary.launches.data(), summary.jumpFunctions.data(),
                      module.firstSymbol, module.image});
  }
}

void CombinedSummary::findBodies() {
  functions.resize(totalSymbols);
  variables.resize(totalSymbols);
  for (const CombinedModule &module : allModules) {
    for (const FunctionSummary &body : module.summary.functions)
      functions[module.firstSymbol + body.symbol] = &body;
    for (const VariableSummary &body : module.summary.variables)
      variables[module.firstSymbol + body.symbol] = &body;
    for (const AliasSummary &body : module.summary.aliases)
      aliases[module.firstSymbol + body.symbol] = &body;
  }
}

/// Host: the linker kept a group where any of its symbols prevails. No symbol
/// tells for a group of local symbols alone (a sanitizer's constructor): there
/// the first module of the link that has the group keeps it, as in any linker.
/// Device groups have the same name rules as their symbols and are not looked
/// at.
void CombinedSummary::findKeptComdats() {
  keptComdats.resize(allModules.size());
  StringSet<> localGroups;
  for (auto [m, module] : enumerate(allModules)) {
    const std::vector<ComdatRecord> &comdats = module.summary.comdats;
    std::vector<bool> &kept = keptComdats[m];
    kept.assign(comdats.size(), true);
    if (module.summary.side == Side::Device)
      continue;
    std::vector<bool> hasGlobal(kept.size(), false), prevails(kept.size());
    for (auto [s, symbol] : enumerate(module.summary.symbols)) {
      if (symbol.comdat == kNone || symbol.isLocal())
        continue;
      hasGlobal[symbol.comdat] = true;
      if (module.resolution[s] & kPrevailing)
        prevails[symbol.comdat] = true;
    }
    for (size_t c = 0; c < kept.size(); ++c)
      kept[c] = hasGlobal[c] ? prevails[c]
                             : comdats[c].kind == ComdatKind::NoDeduplicate ||
                                   localGroups.insert(comdats[c].name).second;
  }
}

/// Returns whether \p symbol is a global definition that takes part in the
/// choice of the prevailing one.
bool CombinedSummary::isCandidate(ModuleIndex module,
                                  SymbolIndex symbol) const {
  const SymbolRecord &record = allModules[module].summary.symbols[symbol];
  return !record.isLocal() && !definesNothing(record);
}

void CombinedSummary::defineHostNames() {
  for (ModuleIndex m : allImages[kHostImage].modules)
    for (SymbolIndex s = 0; s < allModules[m].summary.symbols.size(); ++s)
      if (isCandidate(m, s) && (allModules[m].resolution[s] & kPrevailing))
        names[kHostImage].try_emplace(
            plainName(allModules[m].summary.symbols[s].name), id(m, s));
}

Error CombinedSummary::duplicate(const InputLocation &where, StringRef name,
                                 ImageIndex image,
                                 const InputLocation &first) const {
  return inputError(where, "duplicate device symbol '" + demangled(name) +
                               "' for " + allImages[image].arch +
                               "; first defined in " + first.str());
}

/// Chooses among native definitions: the strong one, else the first.
Error CombinedSummary::defineNativeNames() {
  nativeNames.resize(allImages.size());
  Error errors = Error::success();
  for (const NativeCode &code : allNative) {
    auto image = llvm::find_if(allImages, [&](const Image &candidate) {
      return candidate.side == Side::Device && candidate.arch == code.arch;
    });
    assert(image != allImages.end() && "native code has no image of its own");
    ImageIndex i = image - allImages.begin();
    for (const NativeSymbol &symbol : code.symbols) {
      NativeName &name = nativeNames[i][symbol.name];
      if (!symbol.isDefined)
        continue;
      if (name.definition && !name.definition->isWeak && !symbol.isWeak)
        errors = joinErrors(
            std::move(errors),
            duplicate(code.location, symbol.name, i, name.definedIn->location));
      else if (!name.definition || name.definition->isWeak > symbol.isWeak)
        name = {&code, &symbol};
    }
  }
  return errors;
}

/// A definition of ours that a weak native one gives way to is used as well.
void CombinedSummary::findNativelyUsed() {
  for (auto [image, table] : enumerate(nativeNames))
    for (const auto &name : table)
      if (GlobalId id = lookup(image, name.getKey()); id != kNone)
        if (!name.getValue().definition || !isReplaceable(symbol(id)))
          nativelyUsed.insert(id);
}

const NativeSymbol *CombinedSummary::nativeDefinition(GlobalId id) const {
  if (definitions[id] != kNone || symbol(id).isLocal())
    return nullptr;
  return nativeDefinition(imageOf(id), symbol(id).name);
}

const NativeSymbol *CombinedSummary::nativeDefinition(ImageIndex image,
                                                      StringRef name) const {
  auto found = nativeNames[image].find(plainName(name).val());
  return found == nativeNames[image].end() ? nullptr : found->second.definition;
}

/// Device code never meets the linker: one strong definition prevails; of weak
/// ones that whose translation unit's host stub prevails (a kernel must match
/// the host code that launches it), else the first.
Error CombinedSummary::defineDeviceNames(ImageIndex image) {
  DenseMap<CachedHashStringRef, uint32_t> objectOfStub;
  for (ModuleIndex m : allImages[kHostImage].modules)
    for (const OffloadEntry &entry : allModules[m].summary.offloadEntries)
      if (entry.hostSymbol != kNone) {
        const SymbolRecord &stub =
            allModules[m].summary.symbols[entry.hostSymbol];
        if (stub.isLocal() ||
            (allModules[m].resolution[entry.hostSymbol] & kPrevailing))
          objectOfStub.try_emplace(plainName(entry.deviceName),
                                   allModules[m].object);
      }

  Error errors = Error::success();
  auto &table = names[image];
  for (ModuleIndex m : allImages[image].modules)
    for (SymbolIndex s = 0; s < allModules[m].summary.symbols.size(); ++s) {
      if (!isCandidate(m, s))
        continue;
      const SymbolRecord &candidate = allModules[m].summary.symbols[s];
      CachedHashStringRef name = plainName(candidate.name);
      NativeName native = nativeNames[image].lookup(name.val());
      if (native.definition && givesWay(candidate))
        continue;
      if (native.definition && !native.definition->isWeak &&
          !isReplaceable(candidate))
        errors = joinErrors(std::move(errors),
                            duplicate(allModules[m].location, candidate.name,
                                      image, native.definedIn->location));
      auto [it, isNew] = table.try_emplace(name, id(m, s));
      if (isNew)
        continue;
      const SymbolRecord &present = symbol(it->second);
      if (isReplaceable(present)) {
        auto wanted = objectOfStub.find(name);
        if (!isReplaceable(candidate) ||
            (wanted != objectOfStub.end() &&
             wanted->second == allModules[m].object &&
             moduleRef(it->second).object != wanted->second))
          it->second = id(m, s);
        continue;
      }
      if (!isReplaceable(candidate))
        errors = joinErrors(std::move(errors),
                            duplicate(allModules[m].location, candidate.name,
                                      image, moduleRef(it->second).location));
    }
  return errors;
}

void CombinedSummary::resolveUses(unsigned threads) {
  definitions.assign(totalSymbols, kNone);
  forEachPiece(threads, allModules.size(), [&](size_t begin, size_t end) {
    for (size_t m = begin; m < end; ++m)
      resolveUses(allModules[m], m);
  });
  // Assembly of any module may do with a definition what it likes.
  for (GlobalId id = 0; id < totalSymbols; ++id) {
    GlobalId named = definitions[id];
    if (named == kNone || named == id || !has(id, kAssemblyReferenced))
      continue;
    flags[named] |= kAssemblyReferenced;
    allModules[owner[named]].summary.symbols[indexOf(named)].flags |=
        kAssemblyReferenced;
  }
}

void CombinedSummary::resolveUses(const CombinedModule &module,
                                  ModuleIndex number) {
  for (auto [s, symbol] : enumerate(module.summary.symbols)) {
    GlobalId self = module.firstSymbol + s;
    if (symbol.has(kRegistration))
      continue;
    if (symbol.isLocal()) {
      bool dropped =
          symbol.comdat != kNone && !keptComdats[number][symbol.comdat];
      definitions[self] = dropped || definesNothing(symbol) ? kNone : self;
      continue;
    }
    definitions[self] = lookup(module.image, symbol.name);
  }
}

void CombinedSummary::applyFolds() {
  // Nearly nothing is folded: that is seen in less memory than the map has.
  std::vector<bool> isFolded(totalSymbols);
  for (auto [member, leader] : folded)
    isFolded[member] = true;
  auto replace = [&](GlobalId &definition) {
    if (definition == kNone || !isFolded[definition])
      return false;
    auto found = folded.find(definition);
    definition = found->second;
    return true;
  };
  for (auto [id, definition] : enumerate(definitions))
    if (GlobalId member = definition; replace(definition))
      usesOfFolded.push_back({GlobalId(id), member});
  for (auto &table : names)
    for (auto &entry : table)
      replace(entry.second);
  for (auto &[host, found] : counterparts)
    for (GlobalId &device : found)
      replace(device);
}

ArrayRef<FoldedUse> CombinedSummary::foldedUses(ModuleIndex module) const {
  GlobalId first = allModules[module].firstSymbol;
  GlobalId end = first + allModules[module].summary.symbols.size();
  auto isBefore = [](const FoldedUse &use, GlobalId id) {
    return use.use < id;
  };
  auto begin = llvm::lower_bound(usesOfFolded, first, isBefore);
  auto after = std::lower_bound(begin, usesOfFolded.end(), end, isBefore);
  return ArrayRef(usesOfFolded)
      .slice(begin - usesOfFolded.begin(), after - begin);
}

GlobalId CombinedSummary::lookup(ImageIndex image, StringRef name) const {
  auto it = names[image].find(plainName(name));
  return it == names[image].end() ? kNone : it->second;
}

/// Joins host stubs and shadow variables with what they stand for in each
/// image. A unit whose stub does not prevail says nothing.
void CombinedSummary::joinOffloadEntries() {
  for (ModuleIndex m : allImages[kHostImage].modules)
    for (const OffloadEntry &entry : allModules[m].summary.offloadEntries) {
      if (entry.hostSymbol == kNone ||
          definitions[id(m, entry.hostSymbol)] != id(m, entry.hostSymbol))
        continue;
      SmallVector<GlobalId, 2> &found = counterparts[id(m, entry.hostSymbol)];
      for (ImageIndex i = kHostImage + 1; i < allImages.size(); ++i)
        if (GlobalId device = lookup(i, entry.deviceName); device != kNone)
          found.push_back(device);
    }
}

GlobalId CombinedSummary::liveStructor(ModuleIndex module,
                                       const StructorRecord &structor) const {
  if (structor.function == kNone)
    return kNone;
  if (structor.associated != kNone) {
    GlobalId associated = id(module, structor.associated);
    if (definitions[associated] != associated)
      return kNone;
  }
  return definitions[id(module, structor.function)];
}

ArrayRef<GlobalId>
CombinedSummary::deviceCounterparts(GlobalId hostDefinition) const {
  auto it = counterparts.find(hostDefinition);
  return it == counterparts.end() ? ArrayRef<GlobalId>() : it->second;
}

SmallVector<GlobalId, 2> CombinedSummary::kernelsOf(GlobalId handle) const {
  if (has(handle, kKernel))
    return {handle};
  ArrayRef<GlobalId> kernels = deviceCounterparts(handle);
  return {kernels.begin(), kernels.end()};
}

bool CombinedSummary::isExact(GlobalId id) const {
  switch (symbol(id).linkage) {
  case Linkage::WeakAny:
  case Linkage::LinkOnceAny:
  case Linkage::Common:
    return false;
  default:
    return !(resolution(id) & kLinkerRedefined);
  }
}

} // namespace gpulto
