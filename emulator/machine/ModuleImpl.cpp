//===- ModuleImpl.cpp - Linking PTX sources -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 1. parse: module level of every source.
// 2. define: names of a source only; definitions that others may see go to one
//    table, in which a strong definition beats weak and common ones, and two
//    strong ones are an error. Weak and common: the first wins, but the largest
//    common gives the size.
// 3. resolve: every other name gets the definition of that table.
// 4. initialise: now that all addresses are known.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/ModuleImpl.h"

#include "emulator/machine/DeviceCalls.h"
#include "emulator/machine/DeviceImpl.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace gpulto::emu {

static Status errorAt(ErrorKind kind, const SourceUnit &unit, uint32_t line,
                      const std::string &text) {
  return {kind, unit.name + ":" + std::to_string(line) + ": " + text};
}

static External externalOf(std::string_view name) {
  if (name == "vprintf")
    return External::Printf;
  if (name == "__assertfail")
    return External::Assert;
  if (name == "malloc")
    return External::Malloc;
  if (name == "free")
    return External::Free;
  return runtimeFunction(name);
}

/// Other functions of CUDA's device runtime: programs declare them without ever
/// getting there.
static bool isRuntimeFunction(std::string_view name) {
  return name.starts_with("cuda") || name.starts_with("__cuda") ||
         name.starts_with("__nv");
}

ManagedVariables::~ManagedVariables() {
  for (const auto &[name, address] : addresses)
    process->memory.release(address, AllocationKind::Managed);
}

ModuleImpl::ModuleImpl(DeviceImpl &device,
                       std::shared_ptr<const ManagedVariables> inherited)
    : device(device), managed(std::move(inherited)) {
  if (managed)
    return;
  auto made = std::make_shared<ManagedVariables>(device.process);
  newManaged = made.get();
  managed = std::move(made);
}

ModuleImpl::~ModuleImpl() {
  for (FunctionEntry &f : functions)
    device.removeFunction(f);
  for (uint64_t address : allocations) {
    Allocation a;
    if (device.memory.find(address, a))
      device.memory.release(address, a.kind);
  }
}

uint64_t ModuleImpl::addManaged(const VariableDecl &decl,
                                const SourceUnit *unit) {
  std::string name = (unit ? unit->name + " " : "") + std::string(decl.name);
  if (!newManaged) {
    auto found = managed->addresses.find(name);
    return found == managed->addresses.end() ? 0 : found->second;
  }
  uint64_t size = std::max<uint64_t>(decl.sizeBytes(), 1);
  uint64_t address = device.memory.allocate(
      size, decl.alignBytes, AllocationKind::Managed, device.ordinal());
  if (address)
    newManaged->addresses[name] = address;
  return address;
}

uint64_t ModuleImpl::addVariable(const VariableDecl &decl,
                                 const SourceUnit *unit) {
  AllocationKind kind = decl.space == Space::Const ? AllocationKind::Constant
                        : decl.isManaged           ? AllocationKind::Managed
                                                   : AllocationKind::Global;
  uint64_t size = std::max<uint64_t>(decl.sizeBytes(), 1);
  uint64_t address = decl.isManaged
                         ? addManaged(decl, unit)
                         : device.memory.allocate(size, decl.alignBytes, kind,
                                                  device.ordinal());
  if (!address)
    return 0;
  if (!decl.isManaged)
    allocations.push_back(address);
  if (kind == AllocationKind::Constant)
    constBytes += decl.sizeBytes();
  VariableInfo info;
  info.name = std::string(decl.name);
  info.address = address;
  info.sizeBytes = decl.sizeBytes();
  info.kind = kind;
  variables.push_back(info);
  variablesByName.try_emplace(variables.back().name, &variables.back());
  return address;
}

uint32_t ModuleImpl::addShared(const VariableDecl &decl, bool isDynamic) {
  SharedVariable v;
  v.name = std::string(decl.name);
  v.sizeBytes = decl.sizeBytes();
  v.alignBytes = decl.alignBytes;
  v.isDynamic = isDynamic;
  shared.push_back(v);
  return static_cast<uint32_t>(shared.size() - 1);
}

Status ModuleImpl::parse(std::vector<PtxSource> sources) {
  for (PtxSource &source : sources) {
    SourceUnit &unit = units.emplace_back();
    unit.name = std::move(source.name);
    unit.text = std::move(source.text);
    ParseError error = parseSource(unit.text, unit.decl);
    if (error.failed())
      return errorAt(ErrorKind::InvalidPtx, unit, error.line, error.text);
    for (std::string_view file : unit.decl.files)
      unit.files.emplace_back(file);
  }
  return {};
}

Status ModuleImpl::defineFunction(SourceUnit &unit, const FunctionDecl &decl) {
  if (!decl.hasBody)
    return {};
  bool isLocal = decl.linkage == Linkage::Local && !decl.isEntry;
  bool isWeak = decl.linkage == Linkage::Weak ||
                (decl.isEntry && decl.linkage == Linkage::Local);
  if (!isLocal) {
    auto it = globals.find(decl.name);
    if (it != globals.end()) {
      bool oldWeak = it->second.linkage == Linkage::Weak;
      if (!isWeak && !oldWeak)
        return errorAt(ErrorKind::DuplicateSymbol, unit, decl.line,
                       "multiple definition of " + std::string(decl.name) +
                           ", first defined at " + it->second.unit->name + ":" +
                           std::to_string(it->second.line));
      if (isWeak)
        return {};
    }
  }
  FunctionEntry &entry = functions.emplace_back();
  entry.decl = &decl;
  entry.unit = &unit;
  entry.module = this;
  entry.fn.name = std::string(decl.name);
  entry.fn.id = static_cast<uint32_t>(functions.size() - 1);
  entry.fn.isEntry = decl.isEntry;
  entry.fn.sourceName = &unit.name;
  entry.fn.files = &unit.files;
  entry.fn.debugStrings = &unit.decl.debugStrings;
  layoutParameters(decl, entry.fn);
  device.addFunction(entry);
  Symbol symbol;
  symbol.kind = Symbol::Function;
  symbol.function = &entry.fn;
  if (isLocal)
    unit.names[decl.name] = symbol;
  else
    globals[decl.name] = {symbol, isWeak ? Linkage::Weak : decl.linkage, &unit,
                          nullptr, decl.line};
  return {};
}

Status ModuleImpl::defineVariable(SourceUnit &unit, const VariableDecl &decl) {
  Symbol symbol;
  symbol.space = decl.space;
  bool isShared = decl.space == Space::Shared;
  if (isShared && decl.linkage == Linkage::Extern) {
    symbol.kind = Symbol::Shared;
    symbol.sharedIndex = addShared(decl, true);
    unit.names[decl.name] = symbol;
    return {};
  }
  if (decl.linkage == Linkage::Extern)
    return {};
  if (decl.linkage != Linkage::Local) {
    auto it = globals.find(decl.name);
    if (it != globals.end()) {
      Global &old = it->second;
      bool oldStrong = old.linkage == Linkage::Visible;
      if (decl.linkage == Linkage::Visible && oldStrong)
        return errorAt(ErrorKind::DuplicateSymbol, unit, decl.line,
                       "multiple definition of " + std::string(decl.name) +
                           ", first defined at " + old.unit->name + ":" +
                           std::to_string(old.line));
      bool larger = old.variable && decl.linkage == Linkage::Common &&
                    old.linkage == Linkage::Common &&
                    decl.sizeBytes() > old.variable->sizeBytes();
      if (decl.linkage != Linkage::Visible && !larger)
        return {};
    }
  }
  if (isShared) {
    symbol.kind = Symbol::Shared;
    symbol.sharedIndex = addShared(decl, false);
  } else {
    symbol.kind = Symbol::Variable;
  }
  if (decl.linkage == Linkage::Local) {
    if (!isShared) {
      symbol.address = addVariable(decl, &unit);
      if (!symbol.address)
        return errorAt(ErrorKind::OutOfMemory, unit, decl.line,
                       "out of memory for " + std::string(decl.name));
      toInitialise.push_back({&unit, &decl});
    }
    unit.names[decl.name] = symbol;
    return {};
  }
  globals[decl.name] = {symbol, decl.linkage, &unit, &decl, decl.line};
  return {};
}

Status ModuleImpl::define() {
  for (SourceUnit &unit : units) {
    for (const FunctionDecl &decl : unit.decl.functions)
      if (Status s = defineFunction(unit, decl); !s.ok())
        return s;
    for (const VariableDecl &decl : unit.decl.variables)
      if (Status s = defineVariable(unit, decl); !s.ok())
        return s;
  }
  // Visible variables get memory once it is known which definition prevails.
  for (auto &[name, global] : globals) {
    if (global.symbol.kind != Symbol::Variable)
      continue;
    global.symbol.address = addVariable(*global.variable, nullptr);
    if (!global.symbol.address)
      return errorAt(ErrorKind::OutOfMemory, *global.unit, global.line,
                     "out of memory for " + std::string(name));
    for (SourceUnit &unit : units)
      if (&unit == global.unit)
        toInitialise.push_back({&unit, global.variable});
  }
  return {};
}

Status ModuleImpl::resolveName(SourceUnit &unit, std::string_view name,
                               uint32_t line, bool isFunction) {
  if (unit.names.count(name))
    return {};
  auto it = globals.find(name);
  if (it != globals.end()) {
    bool definedAsFunction = it->second.symbol.kind == Symbol::Function;
    if (definedAsFunction != isFunction)
      return errorAt(ErrorKind::DuplicateSymbol, unit, line,
                     std::string(name) +
                         " is a function in one source, a variable in another");
    unit.names[name] = it->second.symbol;
    return {};
  }
  if (isFunction) {
    Symbol symbol;
    symbol.kind = Symbol::Function;
    symbol.external = externalOf(name);
    if (symbol.external != External::None || isRuntimeFunction(name)) {
      unit.names[name] = symbol;
      return {};
    }
  }
  return errorAt(ErrorKind::UnresolvedSymbol, unit, line,
                 std::string("undefined ") +
                     (isFunction ? "function " : "variable ") +
                     std::string(name));
}

Status ModuleImpl::resolve() {
  for (SourceUnit &unit : units) {
    for (const VariableDecl &decl : unit.decl.variables)
      if (Status s = resolveName(unit, decl.name, decl.line, false); !s.ok())
        return s;
    // Aliases first: their names are declared as functions, too.
    for (const AliasDecl &alias : unit.decl.aliases) {
      if (Status s = resolveName(unit, alias.aliasee, alias.line, true);
          !s.ok())
        return s;
      Symbol symbol = unit.names[alias.aliasee];
      unit.names[alias.name] = symbol;
      globals.try_emplace(alias.name, Global{symbol, Linkage::Visible, &unit,
                                             nullptr, alias.line});
    }
  }
  for (SourceUnit &unit : units)
    for (const FunctionDecl &decl : unit.decl.functions)
      if (Status s = resolveName(unit, decl.name, decl.line, true); !s.ok())
        return s;
  for (auto &[name, global] : globals) {
    if (global.symbol.kind != Symbol::Function ||
        !global.symbol.function->isEntry)
      continue;
    FunctionEntry *entry = entryOf(global.symbol.function);
    KernelImpl &kernel = kernels.emplace_back();
    kernel.module = this;
    kernel.entry = entry;
    kernelsByName[entry->fn.name] = &kernel;
  }
  return {};
}

Status ModuleImpl::initialise(SourceUnit &unit, const VariableDecl &decl) {
  // What it holds now is the program's where another device has it already.
  if (decl.isManaged && !newManaged)
    return {};
  uint64_t address = unit.names[decl.name].address;
  uint8_t *to = reinterpret_cast<uint8_t *>(address);
  unsigned size = sizeOf(decl.type);
  for (const InitValue &v : decl.init) {
    uint64_t bits = v.bits;
    if (v.kind != InitValue::Bits) {
      auto it = unit.names.find(v.symbol);
      if (it == unit.names.end())
        return errorAt(ErrorKind::UnresolvedSymbol, unit, decl.line,
                       "undefined name " + std::string(v.symbol) +
                           " in the initial value of " +
                           std::string(decl.name));
      const Symbol &s = it->second;
      if (s.kind == Symbol::Function && s.function) {
        bits += s.function->handle;
        addressTaken.push_back(s.function);
      } else if (s.kind == Symbol::Variable) {
        bits += s.address;
      } else {
        return errorAt(ErrorKind::InvalidPtx, unit, decl.line,
                       "not implemented: address of " + std::string(v.symbol) +
                           " in the initial value of " +
                           std::string(decl.name));
      }
      if (v.maskBytes)
        bits >>= v.maskShift;
    } else if (v.isFloat && size == 4) {
      double d;
      float f;
      memcpy(&d, &bits, 8);
      f = static_cast<float>(d);
      bits = 0;
      memcpy(&bits, &f, 4);
    } else if (v.isFloat32 && size == 8) {
      float f;
      memcpy(&f, &bits, 4);
      double d = f;
      memcpy(&bits, &d, 8);
    }
    memcpy(to, &bits, std::min(size, 8u));
    to += size;
  }
  return {};
}

Status ModuleImpl::load(std::vector<PtxSource> sources) {
  if (Status s = parse(std::move(sources)); !s.ok())
    return s;
  if (Status s = define(); !s.ok())
    return s;
  if (Status s = resolve(); !s.ok())
    return s;
  for (auto &[unit, decl] : toInitialise)
    if (Status s = initialise(*unit, *decl); !s.ok())
      return s;
  return {};
}

FunctionEntry *ModuleImpl::entryOf(const Function *fn) const {
  return const_cast<FunctionEntry *>(&functions[fn->id]);
}

const Kernel *ModuleImpl::findKernel(std::string_view name) const {
  auto it = kernelsByName.find(name);
  return it == kernelsByName.end() ? nullptr : it->second;
}

const VariableInfo *ModuleImpl::findVariable(std::string_view name) const {
  auto it = variablesByName.find(name);
  return it == variablesByName.end() ? nullptr : it->second;
}

std::vector<std::string> ModuleImpl::kernelNames() const {
  std::vector<std::string> names;
  for (const FunctionEntry &f : functions)
    if (f.fn.isEntry && kernelsByName.count(f.fn.name) &&
        kernelsByName.at(f.fn.name)->entry == &f)
      names.push_back(f.fn.name);
  return names;
}

Status ModuleImpl::decodeAll() {
  for (FunctionEntry &f : functions)
    if (Status s = decode(f); !s.ok())
      return s;
  return {};
}

/// Names as the functions of one source see them.
class UnitSymbols final : public SymbolSource {
public:
  UnitSymbols(ModuleImpl &module, SourceUnit &unit)
      : module(module), unit(unit) {}
  Symbol lookup(std::string_view name) override {
    auto it = unit.names.find(name);
    return it == unit.names.end() ? Symbol() : it->second;
  }
  uint32_t addShared(const VariableDecl &decl) override {
    return module.addShared(decl, decl.elements == 0);
  }
  uint64_t addVariable(const VariableDecl &decl) override {
    return module.addVariable(decl, &unit);
  }

private:
  ModuleImpl &module;
  SourceUnit &unit;
};

Status ModuleImpl::decode(FunctionEntry &entry) {
  std::lock_guard lock(mutex);
  if (entry.isDecoded)
    return entry.status;
  FunctionBody body;
  ParseError error = parseBody(*entry.decl, body);
  if (!error.failed()) {
    UnitSymbols symbols(*this, *entry.unit);
    Decoder decoder(*entry.decl, body, entry.fn, symbols, device.exec->select);
    error = decoder.run();
  }
  if (error.failed())
    entry.status = errorAt(ErrorKind::InvalidPtx, *entry.unit, error.line,
                           error.text + " (in " + entry.fn.name + ")");
  entry.isDecoded = true;
  return entry.status;
}

// Kernels.
// ----------------------------------------------------------------------

Status KernelImpl::prepare() const {
  std::lock_guard lock(module->mutex);
  if (isPrepared)
    return status;
  isPrepared = true;
  std::set<const Function *> seen;
  bool indirect = false;
  auto add = [&](const Function *fn) {
    if (!seen.insert(fn).second)
      return;
    closure.push_back(module->entryOf(fn));
  };
  add(&entry->fn);
  std::vector<const Function *> taken(module->addressTaken.begin(),
                                      module->addressTaken.end());
  for (size_t k = 0; k < closure.size(); ++k) {
    FunctionEntry &f = *closure[k];
    status = module->decode(f);
    if (!status.ok())
      return status;
    for (const Function *callee : f.fn.callees)
      add(callee);
    taken.insert(taken.end(), f.fn.takenAddresses.begin(),
                 f.fn.takenAddresses.end());
    indirect |= f.fn.callsIndirectly;
    if (indirect && k + 1 == closure.size())
      for (const Function *fn : taken)
        if (!fn->isEntry)
          add(fn);
  }
  layoutShared();
  fillInfo();
  return status;
}

/// Static variables in the order of their first use, then the dynamic ones, all
/// at the same place.
void KernelImpl::layoutShared() const {
  uint64_t at = 0;
  uint32_t dynamicAlign = 16;
  auto visit = [&](bool dynamic) {
    for (const FunctionEntry *f : closure) {
      for (const SharedUse &use : f->fn.sharedUses) {
        const SharedVariable &v = module->shared[use.variable];
        if (v.isDynamic != dynamic || sharedOffsets.count(use.variable))
          continue;
        if (dynamic) {
          dynamicAlign = std::max(dynamicAlign, v.alignBytes);
          sharedOffsets[use.variable] = 0;
          continue;
        }
        uint64_t align = std::max(v.alignBytes, 1u);
        at = (at + align - 1) & ~(align - 1);
        sharedOffsets[use.variable] = static_cast<uint32_t>(at);
        at += v.sizeBytes;
      }
    }
  };
  visit(false);
  uint64_t end = at;
  std::set<uint32_t> statics;
  for (const auto &[variable, offset] : sharedOffsets)
    statics.insert(variable);
  visit(true);
  bool hasDynamic = sharedOffsets.size() != statics.size();
  uint64_t dynamicAt =
      hasDynamic ? (end + dynamicAlign - 1) & ~uint64_t(dynamicAlign - 1) : end;
  for (auto &[variable, offset] : sharedOffsets)
    if (!statics.count(variable))
      offset = static_cast<uint32_t>(dynamicAt);
  details.usesDynamicShared = hasDynamic;
  staticShared = static_cast<uint32_t>(dynamicAt);
}

void KernelImpl::patchShared() const {
  for (FunctionEntry *f : closure) {
    if (f->layoutOwner == this || f->fn.sharedUses.empty())
      continue;
    f->layoutOwner = this;
    for (const SharedUse &use : f->fn.sharedUses)
      f->fn.code[use.insn].imm =
          use.addend + static_cast<int64_t>(sharedOffsets.at(use.variable));
  }
}

void KernelImpl::fillInfo() const {
  constexpr uint32_t kFewest = 16, kMost = 255, kOverhead = 6;
  uint32_t live = 0;
  for (const FunctionEntry *f : closure)
    live = std::max(live, f->fn.liveRegisters);
  details.registers = std::clamp(live + kOverhead, kFewest, kMost);
  if (details.maxnreg)
    details.registers = std::min(details.registers, details.maxnreg);
  details.staticSharedBytes = staticShared;
  details.localBytes = entry->fn.depotBytes;
}

const KernelInfo &KernelImpl::info() const {
  std::lock_guard lock(module->mutex);
  if (!details.name.empty())
    return details;
  const FunctionDecl &decl = *entry->decl;
  const DeviceLimits &limits = module->device.limits();
  details.name = entry->fn.name;
  for (size_t k = 0; k < decl.params.size(); ++k) {
    KernelParam p;
    p.offsetBytes = entry->fn.params[k].callerOffset;
    p.sizeBytes = entry->fn.params[k].sizeBytes;
    p.alignBytes = decl.params[k].alignBytes;
    details.params.push_back(p);
    details.paramBytes = p.offsetBytes + p.sizeBytes;
  }
  details.ptxMajor = entry->unit->decl.versionMajor;
  details.ptxMinor = entry->unit->decl.versionMinor;
  details.targetSm = entry->unit->decl.targetSm;
  details.maxntid = decl.maxntid;
  details.reqntid = decl.reqntid;
  details.minnctapersm = decl.minnctapersm;
  details.maxnreg = decl.maxnreg;
  details.reqCluster = decl.reqCluster;
  details.needsCluster = decl.needsCluster;
  details.maxClusterRank = decl.maxClusterRank;
  details.gridCountsClusters = decl.gridCountsClusters;
  details.constBytes = module->constBytes;
  for (std::string_view word : {"call", "trap", "vprintf", "__assertfail"})
    details.maySpeak |= decl.body.find(word) != std::string_view::npos;
  details.maxThreadsPerBlock = limits.maxThreadsPerBlock;
  for (const auto &bound : {decl.maxntid, decl.reqntid})
    if (bound[0])
      details.maxThreadsPerBlock =
          std::min(details.maxThreadsPerBlock, bound[0] * bound[1] * bound[2]);
  (void)prepare();
  return details;
}

} // namespace gpulto::emu
