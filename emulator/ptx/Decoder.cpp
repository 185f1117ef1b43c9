//===- Decoder.cpp - Names, operands and emission -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoder walks the statements once. Operands refer to virtual registers
// and to an index of constants until assignRegisters has run.
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

#include "emulator/ptx/Blocks.h"

#include <charconv>
#include <cstring>

namespace gpulto::emu {

static uint32_t alignTo(uint64_t value, uint64_t align) {
  return static_cast<uint32_t>((value + align - 1) & ~(align - 1));
}

void layoutParameters(const FunctionDecl &decl, Function &fn) {
  uint64_t at = 0;
  auto place = [&](const std::vector<VariableDecl> &list,
                   std::vector<CallCopy> &out) {
    for (const VariableDecl &v : list) {
      at = alignTo(at, v.alignBytes ? v.alignBytes : 1);
      out.push_back(
          {static_cast<uint32_t>(at), static_cast<uint32_t>(v.sizeBytes())});
      at += v.sizeBytes();
    }
  };
  if (!decl.isEntry)
    place(decl.returns, fn.returns);
  place(decl.params, fn.params);
  fn.localBytes = decl.isEntry ? 0 : alignTo(at, 16);
}

bool Decoder::fail(std::string text) {
  if (!error.failed()) {
    error.line = st ? st->line : decl.line;
    error.text = std::move(text);
  }
  return false;
}

// Names.
// ------------------------------------------------------------------------

Decoder::Scope &Decoder::currentScope() {
  Scope &s = scopes[scope];
  if (!s.seen) {
    s.seen = true;
    if (scope != 0)
      s.cursor = scopes[body.scopeParents[scope]].cursor;
  }
  return s;
}

uint32_t Decoder::newRegister(Type type) {
  VirtualRegister r;
  r.type = type;
  r.bytes = type == Type::Pred ? 0 : std::max(2u, sizeOf(type));
  registers.push_back(r);
  return static_cast<uint32_t>(registers.size() - 1);
}

bool Decoder::declare(const Statement &s) {
  scope = s.scope;
  Scope &names = currentScope();
  const VariableDecl &v = body.variables[s.variable];
  if (s.kind == Statement::Registers) {
    if (v.vectorWidth != 1)
      return fail("not implemented: vector registers");
    uint32_t first = static_cast<uint32_t>(registers.size());
    uint32_t count = s.registerCount ? s.registerCount : 1;
    for (uint32_t k = 0; k < count; ++k)
      newRegister(v.type);
    if (s.registerCount) {
      names.ranges[s.name] = {first, count};
    } else {
      Entity e;
      e.index = first;
      names.names[s.name] = e;
    }
    return true;
  }
  Entity e;
  e.sizeBytes = v.sizeBytes();
  e.space = v.space;
  switch (v.space) {
  case Space::Shared:
    e.kind = Entity::Shared;
    e.index = symbols.addShared(v);
    break;
  case Space::Global:
  case Space::Const:
    e.kind = Entity::Global;
    e.address = symbols.addVariable(v);
    if (!e.address)
      return fail("out of memory for " + std::string(v.name));
    break;
  default:
    if (v.sizeBytes() > kWindowBytes)
      return fail("variable too large: " + std::string(v.name));
    e.kind = Entity::Frame;
    e.offset = alignTo(names.cursor, v.alignBytes);
    names.cursor = e.offset + static_cast<uint32_t>(v.sizeBytes());
    fn.localBytes = std::max(fn.localBytes, names.cursor);
    if (v.space == Space::Local)
      fn.depotBytes += static_cast<uint32_t>(v.sizeBytes());
  }
  names.names[s.name] = e;
  return true;
}

bool Decoder::declareParameters() {
  scope = 0;
  Scope &top = currentScope();
  auto add = [&](const std::vector<VariableDecl> &list,
                 const std::vector<CallCopy> &places) {
    for (size_t k = 0; k < list.size(); ++k) {
      Entity e;
      e.kind = decl.isEntry ? Entity::KernelParam : Entity::Frame;
      e.offset = places[k].callerOffset;
      e.sizeBytes = list[k].sizeBytes();
      e.space = Space::Param;
      top.names[list[k].name] = e;
    }
  };
  if (!decl.isEntry)
    add(decl.returns, fn.returns);
  add(decl.params, fn.params);
  top.cursor = fn.localBytes;
  return true;
}

/// Labels are known in their scope before they come.
void Decoder::declareLabels() {
  for (const Statement &s : body.statements) {
    if (s.kind == Statement::Label) {
      Entity e;
      e.kind = Entity::Label;
      e.index = static_cast<uint32_t>(labelPositions.size());
      labelPositions.push_back(0);
      scopes[s.scope].names[s.name] = e;
    } else if (s.kind == Statement::BranchTargets) {
      Entity e;
      e.kind = Entity::Targets;
      e.index = static_cast<uint32_t>(targetLists.size());
      TargetList list;
      list.scope = s.scope;
      for (const Operand &o : s.operands)
        list.names.push_back(o.name);
      targetLists.push_back(std::move(list));
      scopes[s.scope].names[s.name] = e;
    }
  }
}

const Decoder::Entity *Decoder::find(std::string_view name) {
  for (uint32_t at = scope;; at = body.scopeParents[at]) {
    Scope &s = scopes[at];
    auto it = s.names.find(name);
    if (it != s.names.end())
      return &it->second;
    // %r12 of a range %r<N>. A prefix may itself end in digits.
    size_t digits = name.size();
    while (digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
      --digits;
    for (size_t cut = digits; cut < name.size(); ++cut) {
      auto range = s.ranges.find(name.substr(0, cut));
      if (range == s.ranges.end())
        continue;
      uint32_t number = 0;
      std::from_chars(name.data() + cut, name.data() + name.size(), number);
      if (number >= range->second.count)
        continue;
      Entity e;
      e.index = range->second.first + number;
      return &(s.names[name] = e);
    }
    if (at == 0)
      return nullptr;
  }
}

bool Decoder::lookUp(std::string_view name, Entity &entity) {
  if (const Entity *e = find(name)) {
    entity = *e;
    return true;
  }
  return false;
}

// Operands.
// ---------------------------------------------------------------------

Op Decoder::constant(unsigned bytes, uint64_t value) {
  if (bytes && bytes < 8)
    value &= (1ull << (bytes * 8)) - 1;
  auto [it, isNew] = constantIndex.try_emplace(
      {bytes, value}, static_cast<uint32_t>(constants.size()));
  if (isNew)
    constants.push_back({bytes, value});
  return it->second << 1 | 1;
}

bool Decoder::isImmediate(const Operand &o) const {
  return o.kind == Operand::Integer || o.kind == Operand::Float ||
         o.kind == Operand::Float32;
}

/// The bits of an immediate in an instruction of \p type.
bool Decoder::immediate(const Operand &o, Type type, uint64_t &value) {
  value = o.value;
  if (o.kind == Operand::Integer) {
    if (type == Type::F32 || type == Type::F64) {
      // Not PTX, but ptxas takes it for the value.
      double d = static_cast<double>(static_cast<int64_t>(value));
      float f = static_cast<float>(d);
      value = 0;
      if (type == Type::F64)
        std::memcpy(&value, &d, 8);
      else
        std::memcpy(&value, &f, 4);
    }
    return true;
  }
  if (o.kind == Operand::Float32) {
    if (sizeOf(type) != 8)
      return true;
    float f;
    uint32_t bits = static_cast<uint32_t>(value);
    std::memcpy(&f, &bits, 4);
    double d = f;
    std::memcpy(&value, &d, 8);
    return true;
  }
  if (sizeOf(type) == 8)
    return true;
  double d;
  std::memcpy(&d, &value, 8);
  float f = static_cast<float>(d);
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  value = bits;
  return sizeOf(type) == 4 ? true
                           : fail("floating-point immediate of this type");
}

unsigned Decoder::registerBytes(const Operand &o) {
  if (o.kind != Operand::Name)
    return 0;
  const Entity *e = find(o.name);
  return e && e->kind == Entity::Register ? registers[e->index].bytes : 0;
}

/// A special register as a source: moved into a register before.
bool Decoder::specialSource(unsigned reg, Type type, Op &op) {
  return throughTemporary(type, op, [&] {
    desc.opcode = "mov";
    desc.variant = kMoveSpecial;
    desc.destBytes = std::max(2u, sizeOf(type));
    insn.mode = static_cast<uint8_t>(reg);
    insn.cls = InsnClass::Move;
    return emit(select(desc));
  });
}

/// The register \p e of \p name as a source of \p size bytes, or of its own
/// size where \p bytes asks for that.
bool Decoder::registerSource(std::string_view name, const Entity &e,
                             unsigned size, Op &op, unsigned *bytes) {
  const VirtualRegister &r = registers[e.index];
  if (r.bytes == 0)
    return fail("predicate " + std::string(name) + " used as a value");
  if (bytes)
    *bytes = r.bytes;
  else if (r.bytes != size)
    return fail("register " + std::string(name) + " has " +
                std::to_string(r.bytes) + " bytes, the instruction " +
                std::to_string(size));
  op = e.index << 1;
  refs.uses.push_back(e.index);
  return true;
}

/// A symbol used as a value: like mov of its address.
bool Decoder::symbolSource(const Operand &o, unsigned size, Op &op) {
  Insn probe;
  if (!symbolAddress(o.name, o.value, probe))
    return false;
  if (probe.flags & kFrameLocal || probe.space == Space::Shared)
    return fail("address of " + std::string(o.name) +
                " in an instruction other than mov");
  op = constant(size, static_cast<uint64_t>(probe.imm));
  return true;
}

/// A source of \p type: register, immediate, special register or symbol.
bool Decoder::source(const Operand &o, Type type, Op &op, unsigned *bytes) {
  unsigned size = std::max(2u, sizeOf(type));
  if (bytes)
    *bytes = size;
  if (type == Type::Pred)
    return predicate(o, op);
  if (o.negated)
    return fail("unexpected '!'");
  if (isImmediate(o)) {
    uint64_t value;
    if (!immediate(o, type, value))
      return false;
    op = constant(size, value);
    return true;
  }
  bool isName = o.kind == Operand::Name;
  if (unsigned special = 0;
      (isName || o.kind == Operand::Special) && specialRegister(o, special))
    return specialSource(special, type, op);
  if (!isName)
    return fail("operand of a kind that " + std::string(st->name) +
                " does not take");
  if (o.name == "WARP_SZ") {
    op = constant(size, kLanes);
    return true;
  }
  if (Entity e; lookUp(o.name, e) && e.kind == Entity::Register)
    return registerSource(o.name, e, size, op, bytes);
  return symbolSource(o, size, op);
}

/// A source whose register must have \p bytes; immediates are widened.
bool Decoder::sourceOfWidth(const Operand &o, Type type, unsigned bytes,
                            Op &op) {
  if (isImmediate(o)) {
    uint64_t value;
    if (!immediate(o, type, value))
      return false;
    op = constant(bytes, value);
    return true;
  }
  unsigned got = 0;
  if (!source(o, type, op, &got))
    return false;
  if (got != bytes)
    return fail("registers of different sizes in one vector");
  return true;
}

/// A predicate source; a negated one goes through a temporary.
bool Decoder::predicate(const Operand &o, Op &op) {
  if (o.kind == Operand::Integer) {
    bool yes = (o.value != 0) != o.negated;
    op = constant(0, yes ? 1 : 0);
    return true;
  }
  Entity e;
  if (o.kind != Operand::Name || !lookUp(o.name, e) ||
      e.kind != Entity::Register || registers[e.index].bytes != 0)
    return fail("expected a predicate register");
  if (!o.negated) {
    op = e.index << 1;
    refs.uses.push_back(e.index);
    return true;
  }
  return throughTemporary(Type::Pred, op, [&] {
    desc.opcode = "not";
    desc.types[0] = Type::Pred;
    insn.s[0] = e.index << 1;
    insn.cls = InsnClass::Compare;
    refs.uses = {e.index};
    emit(select(desc));
    return true;
  });
}

bool Decoder::dest(const Operand &o, Op &op, unsigned *bytes, bool allowSink) {
  if (o.kind == Operand::Name && o.name == "_") {
    op = kNoOp;
    return allowSink ? true : fail("'_' is not a destination here");
  }
  Entity e;
  if (o.kind != Operand::Name || !lookUp(o.name, e) ||
      e.kind != Entity::Register)
    return fail("expected a destination register" +
                (o.kind == Operand::Name ? ", found " + std::string(o.name)
                                         : std::string()));
  op = e.index << 1;
  if (bytes)
    *bytes = registers[e.index].bytes;
  refs.defs.push_back(e.index);
  return true;
}

/// d or d|p; p is a predicate, and d one too for setp.
bool Decoder::destPair(const Operand &o, bool firstIsPredicate) {
  const Operand &first = o.kind == Operand::Pair ? o.parts[0] : o;
  unsigned bytes = firstIsPredicate ? 0 : 4;
  if (!dest(first, insn.d[0], &bytes))
    return false;
  if (bytes != (firstIsPredicate ? 0 : 4))
    return fail("destination of the wrong type");
  if (o.kind != Operand::Pair)
    return true;
  bytes = 0;
  if (!dest(o.parts[1], insn.d[1], &bytes))
    return false;
  return bytes == 0 ? true : fail("expected a predicate behind '|'");
}

/// The address of \p name plus \p offset, as imm, flags and space of \p i.
bool Decoder::symbolAddress(std::string_view name, uint64_t offset, Insn &i) {
  Entity e;
  i.imm = static_cast<int64_t>(offset);
  if (!lookUp(name, e))
    return moduleAddress(name, i);
  switch (e.kind) {
  case Entity::Frame:
    i.imm += e.offset;
    i.flags |= kFrameLocal;
    i.space = Space::Local;
    return true;
  case Entity::KernelParam:
    i.imm += e.offset;
    i.flags |= kIsKernel;
    i.space = Space::Param;
    return true;
  case Entity::Shared:
    pendingShared.push_back({0, e.index, i.imm});
    i.space = Space::Shared;
    return true;
  case Entity::Global:
    i.imm += static_cast<int64_t>(e.address);
    i.space = e.space;
    return true;
  default:
    return fail("undeclared name " + std::string(name));
  }
}

/// The same for a name of the module level; imm is the offset.
bool Decoder::moduleAddress(std::string_view name, Insn &i) {
  Symbol symbol = symbols.lookup(name);
  switch (symbol.kind) {
  case Symbol::Variable:
    i.imm += static_cast<int64_t>(symbol.address);
    i.space = symbol.space;
    return true;
  case Symbol::Shared:
    pendingShared.push_back({0, symbol.sharedIndex, i.imm});
    i.space = Space::Shared;
    return true;
  case Symbol::Function:
    if (!symbol.function)
      return fail("address of external function " + std::string(name));
    i.imm += static_cast<int64_t>(symbol.function->handle);
    i.space = Space::Global;
    fn.takenAddresses.push_back(symbol.function);
    return true;
  case Symbol::None:
    break;
  }
  return fail("undeclared name " + std::string(name));
}

/// Fills in s[0], imm, flags and space from [...]. \p space is what the
/// instruction names; a variable's own wins over generic.
bool Decoder::address(const Operand &o, Insn &i, Space space) {
  if (o.kind != Operand::Address)
    return fail("expected an address");
  i.space = space;
  const Operand &base = o.parts[0];
  if (base.kind == Operand::None) {
    i.imm = static_cast<int64_t>(o.value);
    return true;
  }
  Entity e;
  if (lookUp(base.name, e) && e.kind == Entity::Register) {
    unsigned bytes = registers[e.index].bytes;
    if (bytes != 4 && bytes != 8)
      return fail("address register of the wrong size");
    if (bytes == 4)
      i.flags |= kAddress32;
    i.s[0] = e.index << 1;
    refs.uses.push_back(e.index);
    i.imm = static_cast<int64_t>(o.value);
    if (space == Space::Param) {
      if (fn.isEntry)
        i.flags |= kIsKernel;
      else
        i.space = Space::Local;
    }
    return true;
  }
  Insn probe;
  if (!symbolAddress(base.name, o.value, probe))
    return false;
  i.imm = probe.imm;
  i.flags |= probe.flags;
  i.space = probe.space;
  return true;
}

bool Decoder::guard(const Statement &s) {
  if (s.guard.empty())
    return true;
  Entity e;
  if (!lookUp(s.guard, e) || e.kind != Entity::Register ||
      registers[e.index].bytes != 0)
    return fail("unknown predicate " + std::string(s.guard));
  insn.guard = e.index << 1;
  if (s.guardNegated)
    insn.flags |= kGuardNegated;
  refs.uses.push_back(e.index);
  return true;
}

// Emission.
// ---------------------------------------------------------------------

void Decoder::begin(const Statement &s) {
  st = &s;
  scope = s.scope;
  currentScope();
  insn = Insn();
  refs = RegisterUses();
  pendingShared.clear();
  desc = InsnDesc();
  desc.opcode = s.name;
  desc.modifiers = &s.modifiers;
  for (std::string_view m : s.modifiers)
    if (Type t = typeFromName(m); t != Type::None && desc.typeCount < 4)
      desc.types[desc.typeCount++] = t;
}

FlowKind Decoder::flowKind() const {
  std::string_view op = desc.opcode;
  bool isBulk = desc.has("bulk");
  if (op == "ld" || op == "ldu")
    return FlowKind::Load;
  if (op == "st")
    return isBulk ? FlowKind::Data : FlowKind::Store;
  if (op == "atom" || op == "red")
    return FlowKind::Atomic;
  if (op == "cp")
    return isBulk ? FlowKind::BulkCopy : FlowKind::AsyncCopy;
  if (op == "ldmatrix" || op == "stmatrix")
    return FlowKind::MatrixRows;
  if (op == "wmma" && (desc.has("load") || desc.has("store")))
    return FlowKind::Fragment;
  if (op == "tex" || op == "tld4" || op == "suld")
    return FlowKind::Image;
  if (op == "shfl")
    return FlowKind::Shuffle;
  if (op == "vote" || op == "match" || op == "redux" || op == "mma" ||
      op == "wmma" || op == "movmatrix")
    return FlowKind::Lanes;
  return FlowKind::Data;
}

bool Decoder::emit(Handler handler) {
  insn.fn = handler;
  if (!handler && (insn.ctl == Ctl::Normal || insn.ctl == Ctl::Faulting ||
                   insn.ctl == Ctl::Spin || insn.ctl == Ctl::WarpSync))
    insn.ctl = Ctl::NotImplemented;
  for (SharedUse &use : pendingShared) {
    use.insn = static_cast<uint32_t>(fn.code.size());
    fn.sharedUses.push_back(use);
  }
  pendingShared.clear();
  std::string text(st->name);
  for (std::string_view m : st->modifiers) // As in the source: . or ::
    text.append(m.data()[-1] == ':' ? "::" : ".").append(m);
  auto [it, isNew] = textIndex.try_emplace(
      std::move(text), static_cast<uint32_t>(fn.texts.size()));
  if (isNew)
    fn.texts.push_back(it->first);
  InsnInfo info;
  info.line = st->line;
  info.file = body.locations[st->loc].file;
  info.sourceLine = body.locations[st->loc].line;
  info.text = it->second;
  info.place = st->loc;
  Flow flow;
  flow.kind = insn.ctl == Ctl::NotImplemented ? FlowKind::Data : flowKind();
  std::string_view op = desc.opcode;
  flow.readsCarry = op == "addc" || op == "subc" || op == "madc";
  flow.writesCarry = desc.has("cc") && (flow.readsCarry || op == "add" ||
                                        op == "sub" || op == "mad");
  fn.code.push_back(insn);
  fn.info.push_back(info);
  fn.flows.push_back(flow);
  uses.push_back(refs);
  return true;
}

bool Decoder::emitSelected() {
  if (insn.cls == InsnClass::Other)
    insn.cls = classOf();
  return emit(select(desc));
}

/// An instruction that is not known stops the kernel only when it is reached.
bool Decoder::emitNotImplemented() {
  Insn stop;
  stop.ctl = Ctl::NotImplemented;
  stop.guard = insn.guard;
  stop.flags = insn.flags & kGuardNegated;
  insn = stop;
  refs.defs.clear();
  return emit(nullptr);
}

bool Decoder::instruction(const Statement &s) {
  begin(s);
  if (!guard(s))
    return false;
  bool handled = false;
  if (!decodeControl(handled))
    return false;
  if (handled)
    return true;
  std::string_view op = desc.opcode;
  if (op == "ld" || op == "st" || op == "ldu")
    return decodeLoadStore();
  if (op == "atom" || op == "red")
    return decodeAtomic();
  if (op == "cp")
    return decodeCopyAsync();
  if (op == "mbarrier")
    return decodeMbarrier();
  if (op == "mma" || op == "wmma" || op == "ldmatrix" || op == "stmatrix" ||
      op == "movmatrix")
    return decodeMatrix();
  if (op == "tex" || op == "tld4")
    return decodeTexture();
  if (op == "suld" || op == "sust")
    return decodeSurface();
  if (op == "createpolicy")
    return decodeCreatePolicy();
  if (op == "mov")
    return decodeMov();
  if (op == "cvt")
    return isSmallCvt() ? decodeSmallCvt() : decodeCvt();
  if (op == "cvta" || op == "isspacep")
    return decodeCvta();
  if (op == "mapa" || op == "getctarank")
    return decodeClusterAddress();
  if (op == "setp" || op == "set")
    return decodeSetp();
  if (desc.type() == Type::Pred)
    return decodePredicateLogic();
  if (isPaired())
    return decodePaired();
  if (desc.has("s16x2") || desc.has("u16x2"))
    return decodePacked();
  if (unsigned video = 0; isVideo(op, video))
    return decodeVideo(video);
  return decodeAlu();
}

/// The body's locations, with the names of the functions.
void Decoder::copyLocations() {
  fn.places.clear();
  for (const SourceLoc &l : body.locations) {
    SourcePlace place;
    place.file = l.file;
    place.line = l.line;
    place.column = l.column;
    place.inlinedAt = l.caller;
    if (fn.debugStrings) {
      auto it = fn.debugStrings->find(l.function);
      if (it != fn.debugStrings->end() && l.functionOffset < it->second.size())
        place.function = it->second.c_str() + l.functionOffset;
    }
    fn.places.push_back(std::move(place));
  }
}

ParseError Decoder::run() {
  copyLocations();
  scopes.resize(body.scopeParents.size());
  declareParameters();
  declareLabels();
  for (const Statement &s : body.statements) {
    st = &s;
    scope = s.scope;
    bool ok = true;
    switch (s.kind) {
    case Statement::Registers:
    case Statement::Variable:
      ok = declare(s);
      break;
    case Statement::Label: {
      const Entity *e = find(s.name);
      if (!e || e->kind != Entity::Label)
        ok = fail(std::string(s.name) + " is a label and something else");
      else
        labelPositions[e->index] = static_cast<uint32_t>(fn.code.size());
      break;
    }
    case Statement::Instruction:
      ok = instruction(s);
      break;
    default:
      break;
    }
    if (!ok || error.failed())
      return error;
  }
  finishControlFlow();
  if (error.failed())
    return error;
  fn.localBytes = alignTo(fn.localBytes, 16);
  fn.ranks = rankInstructions(fn);
  if (!assignRegisters(fn, registers, uses, constants))
    fail("out of memory for registers");
  return error;
}

} // namespace gpulto::emu
