//===- DecodeControl.cpp - Branches, calls, barriers, warp operations -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

namespace gpulto::emu {

bool Decoder::decodeControl(bool &handled) {
  handled = true;
  std::string_view op = desc.opcode;
  const std::vector<Operand> &ops = st->operands;
  if (op == "bra") {
    Entity e;
    if (ops.size() != 1 || ops[0].kind != Operand::Name ||
        !lookUp(ops[0].name, e) || e.kind != Entity::Label)
      return fail("branch to an unknown label");
    insn.ctl = Ctl::Branch;
    insn.cls = InsnClass::Branch;
    insn.target = e.index; // A label until finishControlFlow.
    return emit(nullptr);
  }
  if (op == "brx")
    return decodeBranchIndex();
  if (op == "call")
    return decodeCall();
  if (op == "ret" || op == "exit") {
    insn.ctl = op == "ret" ? Ctl::Return : Ctl::Exit;
    insn.cls = InsnClass::Branch;
    return emit(nullptr);
  }
  if (op == "trap" || op == "brkpt") {
    insn.ctl = op == "trap" ? Ctl::Trap : Ctl::Breakpoint;
    return emit(nullptr);
  }
  if (op == "nanosleep") {
    insn.ctl = Ctl::Yield;
    return emit(nullptr);
  }
  if (op == "bar" || op == "barrier") {
    if (!desc.has("warp"))
      return decodeBarrier();
    insn.ctl = Ctl::WarpBarrier;
    insn.cls = InsnClass::Barrier;
    if (ops.size() != 1 || !source(ops[0], Type::B32, insn.s[3]))
      return fail("malformed bar.warp.sync");
    return emit(nullptr);
  }
  if (op == "shfl" || op == "vote" || op == "match" || op == "redux" ||
      op == "activemask" || op == "elect")
    return decodeWarpOp();
  handled = false;
  return true;
}

bool Decoder::decodeBranchIndex() {
  const std::vector<Operand> &ops = st->operands;
  Entity e;
  if (ops.size() != 2 || !source(ops[0], Type::U32, insn.s[0]))
    return fail("malformed brx.idx");
  TargetList list;
  list.scope = scope;
  if (ops[1].kind == Operand::Vector) {
    for (const Operand &o : ops[1].parts)
      list.names.push_back(o.name);
    insn.target = static_cast<uint32_t>(targetLists.size());
    targetLists.push_back(std::move(list));
  } else if (lookUp(ops[1].name, e) && e.kind == Entity::Targets) {
    insn.target = e.index;
  } else {
    return fail("brx.idx without a list of targets");
  }
  insn.ctl = Ctl::BranchIndex;
  insn.cls = InsnClass::Branch;
  return emit(nullptr);
}

/// call (results), callee, (arguments), prototype; all but the callee optional.
bool Decoder::decodeCall() {
  const std::vector<Operand> &ops = st->operands;
  size_t at = 0;
  const Operand *results = nullptr, *arguments = nullptr;
  if (at < ops.size() && ops[at].kind == Operand::List)
    results = &ops[at++];
  if (at >= ops.size() || ops[at].kind != Operand::Name)
    return fail("call without a callee");
  const Operand &callee = ops[at++];
  if (at < ops.size() && ops[at].kind == Operand::List)
    arguments = &ops[at++];
  insn.ctl = Ctl::Call;
  insn.cls = InsnClass::Call;
  CallSite site;
  auto addCopies = [&](const Operand *list, std::vector<CallCopy> &out) {
    if (!list)
      return true;
    for (const Operand &o : list->parts) {
      Entity e;
      if (o.kind != Operand::Name || !lookUp(o.name, e) ||
          e.kind != Entity::Frame)
        return fail("not implemented: call with an operand that is not a "
                    ".param variable");
      out.push_back({e.offset, static_cast<uint32_t>(e.sizeBytes)});
    }
    return true;
  };
  if (!addCopies(results, site.results) ||
      !addCopies(arguments, site.arguments))
    return false;
  Entity e;
  if (lookUp(callee.name, e) && e.kind == Entity::Register) {
    if (registers[e.index].bytes != 8)
      return fail("callee register of the wrong size");
    insn.s[0] = e.index << 1;
    refs.uses.push_back(e.index);
    fn.callsIndirectly = true;
  } else {
    Symbol symbol = symbols.lookup(callee.name);
    if (symbol.kind != Symbol::Function)
      return fail("call of unknown function " + std::string(callee.name));
    site.callee = symbol.function;
    site.external = symbol.external;
    if (!symbol.function && symbol.external == External::None) {
      desc.opcode = callee.name;
      return emitNotImplemented();
    }
    if (symbol.function) {
      if (symbol.function->isEntry)
        return fail("not implemented: call of kernel " +
                    std::string(callee.name));
      fn.callees.push_back(symbol.function);
    }
  }
  insn.target = static_cast<uint32_t>(fn.callSites.size());
  fn.callSites.push_back(std::move(site));
  return emit(nullptr);
}

/// bar{.cta} and barrier{.cta}: .sync a{, b}; .arrive a, b; .red.op d, a{, b},
/// {!}c. The older bar.sync may have no barrier at all: "bar.sync" is 0 then.
bool Decoder::decodeBarrier() {
  const std::vector<Operand> &ops = st->operands;
  insn.ctl = Ctl::Barrier;
  insn.cls = InsnClass::Barrier;
  if (desc.has("cluster")) {
    insn.ctl = Ctl::ClusterBarrier;
    insn.mode = desc.has("wait");
    return emit(nullptr);
  }
  size_t at = 0;
  bool isRed = desc.has("red");
  BarrierOp op = BarrierOp::Sync;
  if (desc.has("arrive")) {
    op = BarrierOp::Arrive;
  } else if (isRed) {
    op = desc.has("popc")  ? BarrierOp::Popc
         : desc.has("and") ? BarrierOp::And
                           : BarrierOp::Or;
    unsigned bytes = 0, want = op == BarrierOp::Popc ? 4 : 0;
    if (ops.size() < 3 || !dest(ops[at++], insn.d[0], &bytes, false) ||
        bytes != want)
      return fail("malformed bar.red");
  }
  insn.mode = static_cast<uint8_t>(op);
  size_t end = isRed ? ops.size() - 1 : ops.size();
  if (at == end)
    insn.s[0] = constant(4, 0);
  else if (!source(ops[at++], Type::U32, insn.s[0]))
    return false;
  if (at < end && !source(ops[at], Type::U32, insn.s[1]))
    return false;
  if (isRed && !predicate(ops.back(), insn.s[2]))
    return false;
  if (op == BarrierOp::Arrive && insn.s[1] == kNoOp)
    return fail("bar.arrive without a thread count");
  return emit(nullptr);
}

bool Decoder::decodeWarpOp() {
  const std::vector<Operand> &ops = st->operands;
  std::string_view op = desc.opcode;
  insn.cls = InsnClass::WarpOp;
  insn.ctl = Ctl::WarpSync;
  auto malformed = [&] { return fail("malformed " + std::string(op)); };
  bool sync = desc.has("sync");
  if (op == "activemask") {
    insn.ctl = Ctl::Normal;
    if (ops.size() != 1 || !dest(ops[0], insn.d[0], nullptr, false))
      return malformed();
    return emit(select(desc));
  }
  if (!sync) // The forms before Volta: all lanes here.
    insn.ctl = Ctl::Normal;
  // Of the first source and of the first result; 0: a predicate.
  insn.bytes = insn.mode2 = 4;
  if (op == "shfl") {
    if (ops.size() != (sync ? 5u : 4u) || !destPair(ops[0], false) ||
        !source(ops[1], Type::B32, insn.s[0]) ||
        !source(ops[2], Type::B32, insn.s[1]) ||
        !source(ops[3], Type::B32, insn.s[2]))
      return malformed();
    insn.mode = desc.has("up")     ? kShuffleUp
                : desc.has("down") ? kShuffleDown
                : desc.has("bfly") ? kShuffleButterfly
                                   : kShuffleIndex;
  } else if (op == "vote") {
    bool ballot = desc.has("ballot");
    insn.bytes = 0;
    insn.mode2 = ballot ? 4 : 0;
    unsigned bytes = 0;
    if (ops.size() != (sync ? 3u : 2u) ||
        !dest(ops[0], insn.d[0], &bytes, false) ||
        bytes != (ballot ? 4u : 0u) || !predicate(ops[1], insn.s[0]))
      return malformed();
  } else if (op == "match") {
    insn.bytes = static_cast<uint8_t>(sizeOf(desc.type()));
    if (ops.size() != 3 || !destPair(ops[0], false) ||
        !source(ops[1], desc.type(), insn.s[0]))
      return malformed();
    if (desc.has("any") && insn.d[0] == kNoOp)
      return malformed();
  } else if (op == "redux") {
    if (isFloat(desc.type()) && desc.type() != Type::F32)
      return emitNotImplemented();
    if (ops.size() != 3 || !dest(ops[0], insn.d[0], nullptr, false) ||
        !source(ops[1], desc.type(), insn.s[0]))
      return malformed();
  } else if (ops.size() != 2 || !destPair(ops[0], false)) { // elect
    return malformed();
  }
  if (sync && !source(ops.back(), Type::B32, insn.s[3]))
    return malformed();
  return emit(select(desc));
}

/// Ends the function with a return and turns labels into positions.
void Decoder::finishControlFlow() {
  Statement end;
  end.name = "ret";
  end.line = decl.line;
  begin(end);
  insn.ctl = fn.isEntry ? Ctl::Exit : Ctl::Return;
  insn.cls = InsnClass::Branch;
  emit(nullptr);
  for (Insn &i : fn.code)
    if (i.ctl == Ctl::Branch)
      i.target = labelPositions[i.target];
  for (const TargetList &list : targetLists) {
    scope = list.scope;
    std::vector<uint32_t> table;
    for (std::string_view name : list.names) {
      Entity e;
      if (!lookUp(name, e) || e.kind != Entity::Label) {
        fail("unknown label " + std::string(name) + " in a list of targets");
        return;
      }
      table.push_back(labelPositions[e.index]);
    }
    fn.branchTables.push_back(std::move(table));
  }
  st = nullptr;
}

} // namespace gpulto::emu
