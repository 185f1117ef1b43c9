//===- DecodeMemory.cpp - ld, st, atom, red -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

#include <algorithm>
#include <bit>

namespace gpulto::emu {

/// How much nearer to the end of a slice an instruction brings a warp, by how
/// likely it is that the warp waits for what it reads.
static constexpr uint8_t kSpinLikely = 16, kSpinPossible = 1;

Space Decoder::memorySpace() const {
  for (std::string_view m : st->modifiers) {
    if (m == "global")
      return Space::Global;
    if (m == "shared")
      return Space::Shared;
    if (m == "local")
      return Space::Local;
    if (m == "const")
      return Space::Const;
    if (m == "param")
      return Space::Param;
  }
  return Space::Generic;
}

unsigned Decoder::vectorWidth() const {
  return desc.has("v2") ? 2 : desc.has("v4") ? 4 : desc.has("v8") ? 8 : 1;
}

InsnClass memoryClass(Space space, bool isStore) {
  switch (space) {
  case Space::Global:
    return isStore ? InsnClass::StoreGlobal : InsnClass::LoadGlobal;
  case Space::Shared:
    return isStore ? InsnClass::StoreShared : InsnClass::LoadShared;
  case Space::Local:
    return InsnClass::Local;
  case Space::Const:
    return InsnClass::LoadConstant;
  case Space::Param:
    return InsnClass::Param;
  default:
    return InsnClass::Generic;
  }
}

/// Sets the properties of ld and st besides their operands.
void Decoder::readAccess(bool isStore) {
  Space space = memorySpace() == Space::Param ? Space::Param : insn.space;
  insn.cls = memoryClass(space, isStore);
  insn.bytes = static_cast<uint8_t>(sizeOf(desc.type()));
  insn.vec = static_cast<uint8_t>(vectorWidth());
  if (isStore)
    insn.flags |= kIsStore;
  if (desc.has("nc"))
    insn.flags |= kReadOnly;
  bool isStrong = desc.has("volatile") || desc.has("relaxed") ||
                  desc.has("acquire") || desc.has("release");
  insn.ctl = isStrong && !isStore ? Ctl::Spin : Ctl::Faulting;
  if (isStrong)
    insn.mode2 = kSpinLikely;
}

/// A load of the kernel's parameters at a known place, which cannot fault.
bool Decoder::readParameters() {
  desc.variant = kKernelParameters;
  insn.ctl = Ctl::Normal;
  uint64_t end = 0;
  for (const CallCopy &p : fn.params)
    end = std::max<uint64_t>(end, p.callerOffset + p.sizeBytes);
  uint64_t bytes = uint64_t(insn.vec) * insn.bytes;
  return (insn.imm >= 0 && static_cast<uint64_t>(insn.imm) + bytes <= end) ||
         fail("load beyond the kernel's parameters");
}

/// The registers that are loaded or stored: one, or the parts of a vector.
bool Decoder::accessRegisters(const Operand &o, bool isStore,
                              std::vector<Op> &list) {
  Type type = desc.type();
  const std::vector<Operand> single{o};
  const std::vector<Operand> &parts =
      o.kind == Operand::Vector ? o.parts : single;
  if (parts.size() != insn.vec)
    return fail("vector of " + std::to_string(parts.size()) +
                " elements where " + std::to_string(insn.vec) + " are named");
  unsigned bytes = 0;
  for (const Operand &part : parts) // The registers' width, before immediates.
    if (unsigned b = registerBytes(part))
      bytes = b;
  if (!bytes)
    bytes = std::max(2u, sizeOf(type));
  for (const Operand &part : parts) {
    Op op = kNoOp;
    unsigned got = bytes;
    if (isStore ? !sourceOfWidth(part, type, bytes, op) : !dest(part, op, &got))
      return false;
    if (op != kNoOp && got != bytes)
      return fail("registers of different sizes in one vector");
    list.push_back(op);
  }
  desc.destBytes = desc.sourceBytes = bytes;
  return bytes >= sizeOf(type) ||
         fail("register narrower than the type of the access");
}

/// Up to which element of \p bytes bytes a load is used, if that is told, or 0.
uint32_t Decoder::usedElements(unsigned bytes) const {
  auto end = static_cast<uint32_t>(std::bit_width(st->usedBytes));
  return (end + bytes - 1) / bytes;
}

bool Decoder::decodeLoadStore() {
  const std::vector<Operand> &ops = st->operands;
  bool isStore = desc.opcode == "st", isAsync = desc.has("async");
  if (isStore && desc.has("bulk"))
    return decodeStoreBulk();
  Type type = desc.type();
  if (ops.size() < 2 || type == Type::None)
    return fail("malformed " + std::string(desc.opcode));
  const Operand &where = ops[isStore ? 0 : 1];
  if ((isAsync && !isAsyncStore()) || desc.has("mmio") ||
      where.kind == Operand::Tensor)
    return emitNotImplemented();
  if (!address(where, insn, memorySpace()))
    return false;
  readAccess(isStore);
  bool isParam = insn.space == Space::Param && insn.flags & kIsKernel &&
                 insn.s[0] == kNoOp;
  if (isParam && !isStore && !readParameters())
    return false;
  std::vector<Op> list;
  if (!accessRegisters(ops[isStore ? 1 : 0], isStore, list))
    return false;
  if (insn.vec > 1) {
    insn.extra = static_cast<uint32_t>(fn.extra.size());
    fn.extra.insert(fn.extra.end(), list.begin(), list.end());
    uint32_t used = isStore || isParam ? 0 : usedElements(sizeOf(type));
    if (used && used < insn.vec) {
      desc.variant = kUsedElements;
      insn.mode = static_cast<uint8_t>(used);
    }
  } else if (isStore) {
    insn.s[1] = list[0];
  } else {
    if (list[0] == kNoOp) { // Into '_': the access still happens.
      uint32_t temporary = newRegister(type);
      refs.defs.push_back(temporary);
      list[0] = temporary << 1;
    }
    insn.d[0] = list[0];
  }
  unsigned bytes = insn.vec * sizeOf(type);
  return emitSelected() && (!isAsync || completeBytes(bytes));
}

/// st.bulk{.weak}{.shared::cta} [a], size, 0
bool Decoder::decodeStoreBulk() {
  const std::vector<Operand> &ops = st->operands;
  if (ops.size() != 3 || !isImmediate(ops[2]) || ops[2].value)
    return fail("malformed st.bulk");
  if (!address(ops[0], insn, memorySpace()) ||
      !source(ops[1], Type::U64, insn.s[1]))
    return false;
  insn.cls = InsnClass::StoreShared;
  insn.ctl = Ctl::Faulting;
  insn.flags |= kIsStore;
  return emitSelected();
}

/// True for st.async and red.async to shared memory of the cluster, which are
/// done at once: the access, then complete_tx on the mbarrier.
bool Decoder::isAsyncStore() const {
  return desc.has("complete_tx") && st->operands.size() == 3 &&
         memorySpace() == Space::Shared;
}

/// Emits the complete_tx of such an instruction.
bool Decoder::completeBytes(unsigned bytes) {
  const Insn done = insn;
  const RegisterUses doneRefs = refs;
  insn = Insn();
  refs = RegisterUses();
  insn.guard = done.guard;
  insn.flags = done.flags & kGuardNegated;
  if (done.guard != kNoGuard)
    refs.uses.push_back(done.guard >> 1);
  desc.opcode = "mbarrier";
  desc.variant = kMbarrierComplete;
  insn.mode = kMbarrierComplete;
  insn.cls = InsnClass::Barrier;
  insn.ctl = Ctl::Faulting;
  insn.bytes = 8;
  insn.s[1] = constant(4, bytes);
  return address(st->operands[2], insn, Space::Shared) && emitSelected();
}

/// Policies of the cache have no effect; all are 0.
bool Decoder::decodeCreatePolicy() {
  unsigned bytes = 0;
  if (st->operands.empty() || !dest(st->operands[0], insn.d[0], &bytes, false))
    return fail("malformed createpolicy");
  if (bytes != 8)
    return fail("destination of the wrong size");
  insn.s[0] = constant(8, 0);
  insn.cls = InsnClass::Move;
  desc.opcode = "mov";
  desc.types[0] = Type::B64;
  return emitSelected();
}

bool Decoder::decodeAtomic() {
  const std::vector<Operand> &ops = st->operands;
  bool isRed = desc.opcode == "red";
  Type type = desc.type();
  size_t first = isRed ? 0 : 1;
  bool cas = desc.has("cas");
  bool isAsync = desc.has("async");
  if ((isAsync && !isAsyncStore()) || type == Type::None)
    return emitNotImplemented();
  if (ops.size() < first + 2 + (cas ? 1 : 0))
    return fail("malformed " + std::string(desc.opcode));
  unsigned n = vectorWidth();
  insn.cls = InsnClass::Atomic;
  insn.ctl = Ctl::Spin;
  insn.mode2 = cas || desc.has("exch") ? kSpinLikely : kSpinPossible;
  insn.bytes = static_cast<uint8_t>(sizeOf(type));
  insn.vec = static_cast<uint8_t>(n);
  insn.flags |= kIsStore | (desc.has("sys") ? kSystemScope : 0);
  if (!address(ops[first], insn, memorySpace()))
    return false;
  if (n > 1) {
    const Operand &from = ops[first + 1];
    if (cas || from.kind != Operand::Vector || from.parts.size() != n ||
        (!isRed &&
         (ops[0].kind != Operand::Vector || ops[0].parts.size() != n)))
      return fail("malformed vector atomic");
    std::vector<Op> list(2 * n, kNoOp);
    for (unsigned k = 0; k < n; ++k) {
      if (!source(from.parts[k], type, list[n + k]) ||
          (!isRed && !dest(ops[0].parts[k], list[k])))
        return false;
    }
    insn.extra = static_cast<uint32_t>(fn.extra.size());
    fn.extra.insert(fn.extra.end(), list.begin(), list.end());
    return emitSelected();
  }
  unsigned bytes = std::max(2u, sizeOf(type));
  if (!isRed && !dest(ops[0], insn.d[0], &bytes))
    return false;
  if (bytes != std::max(2u, sizeOf(type)))
    return fail("destination of the wrong size");
  if (!source(ops[first + 1], type, insn.s[1]) ||
      (cas && !source(ops[first + 2], type, insn.s[2])))
    return false;
  return emitSelected() && (!isAsync || completeBytes(sizeOf(type)));
}

} // namespace gpulto::emu
