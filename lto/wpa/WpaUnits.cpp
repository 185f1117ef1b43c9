//===- WpaUnits.cpp - Device symbols of a single unit ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Device code has no linker that distinguishes a file's own symbols from
// others, so clang gives static kernels and variables external linkage and a
// suffix meant to be unique. It is not unique: -cuid= may be given twice, one
// source may be compiled twice, stock clang uses an inode. And a unit compiled
// without relocatable device code (kWholeProgramMode) is a device program of
// its own:
//
//   a.cu: __constant__ int c;        b.cu: __constant__ int c;
//
// are two variables, and kernels of b.cu read what b.cu copies to c. Here all
// device code is linked, so each unit's own symbols are separated:
//
// 1. findOwn: symbols with such a suffix; in whole-program mode all strong
//    symbols, and variables that can change, even if weak (templates).
// 2. findDependent: replaceable definitions of such a unit that reach something
//    of its own, a symbol that others also define or a local variable that can
//    change: an inline function that reads c differs in each unit. All other
//    replaceable definitions stay one, as usual.
// 3. chooseKeepers: one unit keeps the name: none where a relocatable unit or
//    native code defines it.
// 4. rename, localize: the others get a name with the unit's tag, in all
//    architectures and in the host's offload entries. The host symbol (stub or
//    shadow variable) goes with it: where the linker took another unit's, it
//    becomes local; in the result of -r, which may be linked with others,
//    always, except if another module names it. clang has given it internal
//    linkage if no other unit can name it; LGEN makes the rest weak
//    (confineRegistered).
// 5. checkUses: a use of a name that the unit does not define gets the only
//    definition; if there are two, that is an error.
//
// Linear in the device symbols of the program; uses are examined only in
// modules with symbols of their own.
//
// Source: nvcc's -rdc=false, whose front end makes all these static, stubs of
// kernel templates included (CUDA 13.0, -static-global-template-stub=true).
//
//===----------------------------------------------------------------------===//

#include "lto/wpa/WpaUnits.h"

#include "summary/CombinedModule.h"
#include "support/UnitNames.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace gpulto {

/// The address space of NVPTX for memory of a block: no variable there outlives
/// a kernel.
static constexpr uint8_t kSharedSpace = 3;

static StringRef withoutEscape(StringRef name) {
  name.consume_front("\1");
  return name;
}

namespace {

/// A device name that at least one unit defines for itself.
struct OwnName {
  /// Modules that do, in their order, one for each unit.
  SmallVector<uint32_t, 2> owners;
  /// Defined by a unit or native code that shares it.
  bool isShared = false;
  /// Another unit may have meant it: not so for what findDependent finds.
  bool isUsable = false;
  /// Unit that keeps the name, or kNone.
  uint32_t keeper = kNone;

  bool isTwice() const { return isShared || owners.size() > 1; }
  /// Whether a use by who does not define it may mean either of two.
  bool isAmbiguous() const {
    return isUsable && !isShared && owners.size() > 1;
  }
};

class UnitSeparator {
public:
  UnitSeparator(std::vector<WpaModule> &modules, ArrayRef<NativeCode> native,
                bool isRelocatable, StringSaver &strings)
      : modules(modules), native(native), isRelocatable(isRelocatable),
        strings(strings) {}

  Error run();

private:
  ModuleSummary &summaryOf(uint32_t m) { return modules[m].module.summary; }
  uint32_t unitOf(uint32_t m) const { return modules[m].module.object; }
  size_t placeOf(const OwnName &name, uint32_t unit) const;
  bool isOwnedBy(const OwnName &name, uint32_t unit) const {
    size_t place = placeOf(name, unit);
    return place < name.owners.size() && unitOf(name.owners[place]) == unit;
  }
  OwnName *ownNameOf(uint32_t m, const SymbolRecord &symbol);
  void addOwn(uint32_t m, const SymbolRecord &symbol, bool isUsable);
  void findOwn(uint32_t m);
  void findDependent(uint32_t m);
  void findShared(uint32_t m);
  void findNative();
  Error chooseKeepers(uint32_t m);
  StringRef newName(StringRef name, uint32_t unit);
  void rename(uint32_t m);
  void localize(uint32_t m);
  void handOver(uint32_t m, SymbolIndex symbol);
  bool staysGlobal(const OffloadEntry &entry, const CombinedModule &host) const;
  Error ambiguous(const InputLocation &where, const OwnName &name,
                  StringRef text) const;
  Error checkUses(uint32_t m);
  Error checkHostUses();
  Error checkNativeUses();
  template <typename F> Error forEachModule(Side side, F visit);
  void forEachDevice(void (UnitSeparator::*visit)(uint32_t));
  void find();
  Error renameAll();

  std::vector<WpaModule> &modules;
  ArrayRef<NativeCode> native;
  bool isRelocatable;
  StringSaver &strings;
  StringMap<OwnName> names;           // looked up only
  DenseMap<uint32_t, StringRef> tags; // of units; looked up only
  /// Host symbols that some module declares; looked up only.
  StringSet<> declared;
};

} // namespace

template <typename F> Error UnitSeparator::forEachModule(Side side, F visit) {
  Error errors = Error::success();
  for (uint32_t m = 0; m < modules.size(); ++m)
    if (summaryOf(m).side == side)
      errors = joinErrors(std::move(errors), visit(m));
  return errors;
}

static bool isDefinition(const SymbolRecord &symbol) {
  return !symbol.isLocal() && !symbol.isDeclaration() &&
         symbol.kind != SymbolKind::Assembly &&
         symbol.linkage != Linkage::AvailableExternally &&
         symbol.linkage != Linkage::Appending &&
         symbol.linkage != Linkage::ExternalWeak && !symbol.has(kRegistration);
}

/// Whether \p symbol is memory that lasts and is not the same in all units.
static bool isState(const SymbolRecord &symbol) {
  return symbol.kind == SymbolKind::Variable && !symbol.isDeclaration() &&
         !symbol.has(kConstant) && symbol.addressSpace != kSharedSpace;
}

/// Returns where the owner of \p unit is, or belongs. Units are numbered in the
/// order of their modules.
size_t UnitSeparator::placeOf(const OwnName &name, uint32_t unit) const {
  return llvm::partition_point(
             name.owners,
             [&](uint32_t owner) { return unitOf(owner) < unit; }) -
         name.owners.begin();
}

/// Returns the name that \p symbol of module \p m has, if it is a definition
/// and its unit's own; in all architectures, if it is in one.
OwnName *UnitSeparator::ownNameOf(uint32_t m, const SymbolRecord &symbol) {
  if (!isDefinition(symbol))
    return nullptr;
  auto found = names.find(withoutEscape(symbol.name));
  return found != names.end() && isOwnedBy(found->second, unitOf(m))
             ? &found->second
             : nullptr;
}

void UnitSeparator::addOwn(uint32_t m, const SymbolRecord &symbol,
                           bool isUsable) {
  OwnName &name = names[withoutEscape(symbol.name)];
  name.isUsable |= isUsable;
  if (!isOwnedBy(name, unitOf(m)))
    name.owners.insert(name.owners.begin() + placeOf(name, unitOf(m)), m);
}

void UnitSeparator::findOwn(uint32_t m) {
  const ModuleSummary &summary = summaryOf(m);
  for (const SymbolRecord &symbol : summary.symbols) {
    if (!isDefinition(symbol))
      continue;
    bool isNamedOwn = hasUnitSuffix(symbol.name);
    if (isNamedOwn ||
        (summary.has(kWholeProgramMode) &&
         (symbol.linkage == Linkage::External || isState(symbol))))
      addOwn(m, symbol, !isNamedOwn);
  }
}

/// Calls \p visit with a symbol and one that its definition refers to.
template <typename F>
static void forEachUse(const ModuleSummary &summary, F visit) {
  for (const FunctionSummary &function : summary.functions) {
    for (const CallEdge &call : slice(summary.calls, function.calls))
      visit(function.symbol, call.callee);
    for (const ReferenceEdge &edge :
         slice(summary.references, function.references))
      visit(function.symbol, edge.symbol);
  }
  for (const VariableSummary &variable : summary.variables)
    for (const ReferenceEdge &edge :
         slice(summary.references, variable.references))
      visit(variable.symbol, edge.symbol);
  for (const AliasSummary &alias : summary.aliases)
    visit(alias.symbol, alias.target);
}

/// Returns \p reached and all that refers to it, directly or not.
static std::vector<SymbolIndex> usersOf(const ModuleSummary &summary,
                                        std::vector<SymbolIndex> reached) {
  std::vector<SmallVector<SymbolIndex, 2>> users(summary.symbols.size());
  forEachUse(summary, [&](SymbolIndex user, SymbolIndex used) {
    if (used != kNone)
      users[used].push_back(user);
  });
  DenseSet<SymbolIndex> seen(reached.begin(), reached.end());
  for (size_t i = 0; i < reached.size(); ++i)
    for (SymbolIndex user : users[reached[i]])
      if (seen.insert(user).second)
        reached.push_back(user);
  return reached;
}

void UnitSeparator::findDependent(uint32_t m) {
  const ModuleSummary &summary = summaryOf(m);
  std::vector<SymbolIndex> seeds;
  for (auto [s, symbol] : enumerate(summary.symbols)) {
    const OwnName *name = ownNameOf(m, symbol);
    if (name ? name->isTwice() || isRelocatable
             : symbol.isLocal() && isState(symbol) &&
                   summary.has(kWholeProgramMode))
      seeds.push_back(s);
  }
  if (seeds.empty())
    return;
  for (SymbolIndex s : usersOf(summary, std::move(seeds)))
    if (const SymbolRecord &symbol = summary.symbols[s];
        isDefinition(symbol) && symbol.linkage != Linkage::External)
      addOwn(m, symbol, /*isUsable=*/false);
}

/// Whether \p symbol is there to give way to another unit's definition.
static bool isInterposable(const SymbolRecord &symbol) {
  return symbol.linkage == Linkage::WeakAny ||
         symbol.linkage == Linkage::LinkOnceAny;
}

/// Finds what is not the module's own, but another's. What gives way to the
/// only definition of the kind is a use of it.
void UnitSeparator::findShared(uint32_t m) {
  for (const SymbolRecord &symbol : summaryOf(m).symbols) {
    if (!isDefinition(symbol) || ownNameOf(m, symbol))
      continue;
    auto found = names.find(withoutEscape(symbol.name));
    if (found != names.end() &&
        (!isInterposable(symbol) || found->second.owners.size() > 1))
      found->second.isShared = true;
  }
}

void UnitSeparator::findNative() {
  for (const NativeCode &code : native)
    for (const NativeSymbol &symbol : code.symbols)
      if (auto found = names.find(symbol.name);
          symbol.isDefined && found != names.end())
        found->second.isShared = true;
}

/// A symbol that assembly names keeps its name; two cannot.
Error UnitSeparator::chooseKeepers(uint32_t m) {
  for (const SymbolRecord &symbol : summaryOf(m).symbols) {
    OwnName *name = ownNameOf(m, symbol);
    if (!name || !name->isTwice() || !symbol.has(kAssemblyReferenced))
      continue;
    if (name->isShared || (name->keeper != kNone && name->keeper != unitOf(m)))
      return inputError(
          modules[m].module.location,
          "assembly names the device symbol '" + demangled(symbol.name) +
              "', which other objects define, too, each for itself; compile "
              "it with -fgpu-rdc, or rename it");
    name->keeper = unitOf(m);
  }
  return Error::success();
}

StringRef UnitSeparator::newName(StringRef name, uint32_t unit) {
  return strings.save(name + "__unit__" + tags.lookup(unit));
}

/// Renames in one device module what another unit has the name of.
void UnitSeparator::rename(uint32_t m) {
  for (SymbolRecord &symbol : summaryOf(m).symbols) {
    OwnName *name = ownNameOf(m, symbol);
    if (!name || !name->isTwice())
      continue;
    if (name->keeper == kNone && !name->isShared)
      name->keeper = unitOf(name->owners.front());
    if (name->keeper == unitOf(m))
      continue;
    StringRef renamed = newName(symbol.name, unitOf(m));
    modules[m].bitcode.renamed.push_back({symbol.name.str(), renamed.str()});
    symbol.name = renamed;
  }
}

/// The linker chose \p symbol of module \p m for all, also for units that share
/// what it stands for on the device: gives them the first of their own.
void UnitSeparator::handOver(uint32_t m, SymbolIndex symbol) {
  CombinedModule &from = modules[m].module;
  StringRef name = from.summary.symbols[symbol].name;
  for (WpaModule &other : modules)
    for (const OffloadEntry &entry : other.module.summary.offloadEntries) {
      SymbolIndex s = entry.hostSymbol;
      auto found = names.find(withoutEscape(entry.deviceName));
      if (s == kNone || other.module.summary.symbols[s].name != name ||
          !isDefinition(other.module.summary.symbols[s]) ||
          found == names.end() || isOwnedBy(found->second, other.module.object))
        continue;
      std::swap(other.module.resolution[s], from.resolution[symbol]);
      return;
    }
}

/// Returns whether the host symbol of \p entry, which is its unit's own, is
/// what others in the link mean by its name. The result of -r is not linked
/// alone: there only what another module uses is for all, and stubs that any
/// unit may launch.
bool UnitSeparator::staysGlobal(const OffloadEntry &entry,
                                const CombinedModule &host) const {
  const SymbolRecord &symbol = host.summary.symbols[entry.hostSymbol];
  if (symbol.isLocal() || !(host.resolution[entry.hostSymbol] & kPrevailing))
    return false;
  bool isConfined = entry.kind != OffloadEntry::Kind::Kernel ||
                    symbol.linkage == Linkage::LinkOnceODR;
  return !isRelocatable || !isConfined || declared.contains(symbol.name);
}

/// Lets the entries of one host module mean what its unit has.
void UnitSeparator::localize(uint32_t m) {
  CombinedModule &module = modules[m].module;
  for (OffloadEntry &entry : module.summary.offloadEntries) {
    auto found = names.find(withoutEscape(entry.deviceName));
    if (found == names.end() || !isOwnedBy(found->second, module.object))
      continue;
    const OwnName &name = found->second;
    bool isRenamed = name.isTwice() && name.keeper != module.object;
    if (isRenamed)
      entry.deviceName = newName(entry.deviceName, module.object);
    if (entry.hostSymbol == kNone)
      continue;
    SymbolRecord &symbol = module.summary.symbols[entry.hostSymbol];
    uint8_t &resolution = module.resolution[entry.hostSymbol];
    if (name.isShared && (resolution & kPrevailing))
      handOver(m, entry.hostSymbol);
    if (symbol.isDeclaration() || staysGlobal(entry, module) ||
        (symbol.isLocal() && !isRenamed))
      continue;
    modules[m].bitcode.localized.push_back(symbol.name.str());
    if (symbol.isLocal())
      continue;
    symbol.linkage = Linkage::Internal;
    symbol.visibility = SymbolVisibility::Default;
    symbol.comdat = kNone;
    resolution = 0;
  }
}

Error UnitSeparator::ambiguous(const InputLocation &where, const OwnName &name,
                               StringRef text) const {
  return inputError(
      where, "uses the device symbol '" + demangled(text) + "', which " +
                 modules[name.owners[0]].module.location.str() + " and " +
                 modules[name.owners[1]].module.location.str() +
                 " define, each for itself; compile what shares device symbols "
                 "with -fgpu-rdc");
}

Error UnitSeparator::checkUses(uint32_t m) {
  Error errors = Error::success();
  for (const SymbolRecord &symbol : summaryOf(m).symbols) {
    if (!symbol.isDeclaration())
      continue;
    auto found = names.find(withoutEscape(symbol.name));
    if (found != names.end() && found->second.isAmbiguous() &&
        !isOwnedBy(found->second, unitOf(m)))
      errors = joinErrors(std::move(errors),
                          ambiguous(modules[m].module.location, found->second,
                                    found->getKey()));
  }
  return errors;
}

/// Host code uses variables by their shadows.
Error UnitSeparator::checkHostUses() {
  StringMap<const OwnName *> shadows; // that prevail; looked up only
  for (const WpaModule &module : modules)
    for (const OffloadEntry &entry : module.module.summary.offloadEntries) {
      auto found = names.find(withoutEscape(entry.deviceName));
      if (found != names.end() && found->second.isAmbiguous() &&
          entry.hostSymbol != kNone && entry.kind != OffloadEntry::Kind::Kernel)
        if (module.module.resolution[entry.hostSymbol] & kPrevailing)
          shadows[module.module.summary.symbols[entry.hostSymbol].name] =
              &found->second;
    }
  if (shadows.empty())
    return Error::success();
  return forEachModule(Side::Host, [&](uint32_t m) {
    Error errors = Error::success();
    for (const SymbolRecord &symbol : summaryOf(m).symbols) {
      const OwnName *name = shadows.lookup(symbol.name);
      if (name && symbol.isDeclaration() && !isOwnedBy(*name, unitOf(m)))
        errors =
            joinErrors(std::move(errors), ambiguous(modules[m].module.location,
                                                    *name, symbol.name));
    }
    return errors;
  });
}

Error UnitSeparator::checkNativeUses() {
  Error errors = Error::success();
  for (const NativeCode &code : native)
    for (const NativeSymbol &symbol : code.symbols)
      if (auto found = names.find(symbol.name); !symbol.isDefined &&
                                                found != names.end() &&
                                                found->second.isAmbiguous())
        errors =
            joinErrors(std::move(errors),
                       ambiguous(code.location, found->second, symbol.name));
  return errors;
}

void UnitSeparator::forEachDevice(void (UnitSeparator::*visit)(uint32_t)) {
  for (uint32_t m = 0; m < modules.size(); ++m)
    if (summaryOf(m).side == Side::Device)
      (this->*visit)(m);
}

/// Finds what units have for themselves, and what of it is elsewhere, too.
void UnitSeparator::find() {
  forEachDevice(&UnitSeparator::findOwn);
  forEachDevice(&UnitSeparator::findShared);
  findNative();
  forEachDevice(&UnitSeparator::findDependent);
  forEachDevice(&UnitSeparator::findShared); // of what depends
  findNative();
}

Error UnitSeparator::renameAll() {
  if (none_of(names, [](const auto &name) { return name.second.isTwice(); }))
    return Error::success();
  if (Error error = forEachModule(Side::Device,
                                  [&](uint32_t m) { return chooseKeepers(m); }))
    return error;
  // Entries have their names until these are through.
  Error errors =
      forEachModule(Side::Device, [&](uint32_t m) { return checkUses(m); });
  errors = joinErrors(std::move(errors), checkHostUses());
  errors = joinErrors(std::move(errors), checkNativeUses());
  if (!errors)
    forEachDevice(&UnitSeparator::rename);
  return errors;
}

Error UnitSeparator::run() {
  for (WpaModule &module : modules) {
    tags.try_emplace(module.module.object, module.module.tag);
    module.module.resolution.resize(module.module.summary.symbols.size());
  }
  if (isRelocatable)
    for (const WpaModule &module : modules)
      for (const SymbolRecord &symbol : module.module.summary.symbols)
        if (module.module.summary.side == Side::Host && symbol.isDeclaration())
          declared.insert(symbol.name);
  find();
  if (Error error = renameAll())
    return error;
  // Also of names that only the host has twice.
  for (uint32_t m = 0; m < modules.size(); ++m)
    if (summaryOf(m).side == Side::Host)
      localize(m);
  return Error::success();
}

Error separateUnits(std::vector<WpaModule> &modules,
                    ArrayRef<NativeCode> native, bool isRelocatable,
                    StringSaver &strings) {
  return UnitSeparator(modules, native, isRelocatable, strings).run();
}

} // namespace gpulto
