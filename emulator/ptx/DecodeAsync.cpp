//===- DecodeAsync.cpp - cp.async and mbarrier ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous copies are done at once, which PTX allows, so that waiting for
// a group of them is nothing. Copies of tensors, to other blocks of a cluster
// and with reductions are not implemented.
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Decoder.h"

#include <algorithm>

namespace gpulto::emu {

/// An mbarrier that is waited for ends the slice after a few attempts.
static constexpr uint8_t kSpinWaiting = 255;

/// An address in addition to the one in Insn::s[0] and imm. It must be in a
/// register or that of a variable in global memory; \p op is kNoOp otherwise.
bool Decoder::secondAddress(const Operand &o, Space space, Op &op,
                            int64_t &offset, bool &is32) {
  Insn place;
  if (!address(o, place, space))
    return false;
  op = place.s[0];
  offset = place.imm;
  is32 = place.flags & kAddress32;
  bool isGlobal = place.space == Space::Global || place.space == Space::Generic;
  if (op == kNoOp && isGlobal) {
    op = constant(8, static_cast<uint64_t>(offset));
    offset = 0;
  }
  if (offset < INT32_MIN || offset > INT32_MAX)
    return fail("offset of an address of " + std::string(desc.opcode));
  return true;
}

bool Decoder::decodeCopyAsync() {
  const std::vector<Operand> &ops = st->operands;
  bool isGroup = desc.has("commit_group") || desc.has("wait_group") ||
                 desc.has("wait_all");
  if (desc.has("async") &&
      (isGroup || (desc.has("prefetch") && !desc.has("tensor")))) {
    desc.opcode = "nop";
    return emit(select(desc));
  }
  if (!desc.has("async") || desc.has("reduce") || desc.has("tensor"))
    return emitNotImplemented();
  if (desc.has("bulk"))
    return decodeCopyBulk();
  if (desc.has("mbarrier"))
    return decodeMbarrier();
  if (ops.size() < 3 || ops[2].kind != Operand::Integer ||
      (ops[2].value != 4 && ops[2].value != 8 && ops[2].value != 16))
    return fail("cp.async of a size other than 4, 8 or 16");
  insn.cls = InsnClass::StoreShared;
  insn.ctl = Ctl::Faulting;
  insn.flags |= kIsStore;
  insn.bytes = static_cast<uint8_t>(ops[2].value);
  int64_t offset = 0;
  bool is32 = false;
  if (!address(ops[0], insn, Space::Shared) ||
      !secondAddress(ops[1], Space::Global, insn.s[1], offset, is32))
    return false;
  if (is32 || insn.s[1] == kNoOp)
    return fail("source address of cp.async");
  insn.target = static_cast<uint32_t>(offset);
  // The number of bytes to take, or a predicate that says to take none, before
  // the policy of the cache.
  size_t end = ops.size() - (desc.has("cache_hint") ? 1 : 0);
  if (end > 4)
    return fail("malformed cp.async");
  if (end == 4) {
    Entity e;
    bool isPredicate =
        ops[3].negated ||
        (ops[3].kind == Operand::Name && lookUp(ops[3].name, e) &&
         e.kind == Entity::Register && registers[e.index].bytes == 0);
    insn.mode = isPredicate;
    if (isPredicate ? !predicate(ops[3], insn.s[2])
                    : !source(ops[3], Type::U32, insn.s[2]))
      return false;
  }
  return emitSelected();
}

/// cp.async.bulk.DEST.SOURCE.mbarrier::complete_tx::bytes [to], [from], size,
/// [mbar]; or .bulk_group without mbar. Extra operands of hints are ignored.
bool Decoder::decodeCopyBulk() {
  const std::vector<Operand> &ops = st->operands;
  if (desc.has("multicast") || desc.has("cp_mask") || ops.size() < 3)
    return emitNotImplemented();
  bool toShared = memorySpace() == Space::Shared; // The first that is named.
  bool fromShared = !desc.has("global") || !toShared;
  bool hasBarrier = desc.has("mbarrier");
  if (hasBarrier && ops.size() < 4)
    return fail("malformed cp.async.bulk");
  Op from = kNoOp, barrier = kNoOp;
  int64_t fromOffset = 0, barrierOffset = 0;
  bool from32 = false, barrier32 = false;
  Space fromSpace = fromShared ? Space::Shared : Space::Global;
  if (!address(ops[0], insn, toShared ? Space::Shared : Space::Global) ||
      !secondAddress(ops[1], fromSpace, from, fromOffset, from32) ||
      !source(ops[2], Type::U32, insn.s[2]) ||
      (hasBarrier && !secondAddress(ops[3], Space::Shared, barrier,
                                    barrierOffset, barrier32)))
    return false;
  if (from == kNoOp || (hasBarrier && barrier == kNoOp))
    return emitNotImplemented();
  insn.s[1] = from;
  insn.s[3] = barrier;
  insn.target = static_cast<uint32_t>(fromOffset);
  insn.extra = static_cast<uint32_t>(barrierOffset);
  insn.mode = static_cast<uint8_t>(
      (fromShared ? kBulkFromShared : 0) | (from32 ? kBulkFrom32 : 0) |
      (barrier32 ? kBulkBarrier32 : 0) | (hasBarrier ? kBulkHasBarrier : 0));
  insn.cls = toShared ? InsnClass::StoreShared : InsnClass::StoreGlobal;
  insn.ctl = Ctl::Faulting;
  insn.flags |= kIsStore;
  return emitSelected();
}

/// mbarrier.* and cp.async.mbarrier.arrive; PTX ISA 9.0, section 9.7.13.16.
bool Decoder::decodeMbarrier() {
  const std::vector<Operand> &ops = st->operands;
  auto has = [&](std::string_view m) { return desc.has(m); };
  bool isCopy = desc.opcode == "cp";
  bool isWait = has("test_wait") || has("try_wait");
  bool isArrive = !isCopy && (has("arrive") || has("arrive_drop"));
  unsigned op = kMbarrierPending;
  if (isCopy)
    op = has("noinc") ? kMbarrierArrive : kMbarrierTouch;
  else if (has("init") || has("inval"))
    op = has("init") ? kMbarrierInit : kMbarrierInvalidate;
  else if (isWait)
    op = has("parity") ? kMbarrierWaitParity : kMbarrierWait;
  else if (isArrive)
    op = has("arrive")
             ? has("expect_tx") ? kMbarrierArriveExpect : kMbarrierArrive
         : has("expect_tx") ? kMbarrierDropExpect
                            : kMbarrierDrop;
  else if (has("expect_tx") || has("complete_tx"))
    op = has("expect_tx") ? kMbarrierExpect : kMbarrierComplete;
  else if (!has("pending_count"))
    return emitNotImplemented();
  desc.variant = op;
  insn.mode = static_cast<uint8_t>(op);
  insn.cls = InsnClass::Barrier;
  insn.ctl = isWait ? Ctl::Spin : Ctl::Faulting;
  insn.mode2 = isWait ? kSpinWaiting : 0;
  insn.bytes = 8;
  auto malformed = [&] { return fail("malformed " + std::string(st->name)); };
  size_t at = 0;
  if (isWait || isArrive || op == kMbarrierPending) {
    unsigned want = isWait ? 0 : isArrive ? 8 : 4, bytes = want;
    if (ops.size() < 2 || !dest(ops[at++], insn.d[0], &bytes, isArrive) ||
        bytes != want)
      return malformed();
  }
  if (op == kMbarrierPending)
    return source(ops[at], Type::U64, insn.s[1]) && emitSelected();
  if (at >= ops.size() || !address(ops[at], insn, memorySpace()))
    return malformed();
  ++at;
  bool needsValue = !isCopy && op != kMbarrierArrive && op != kMbarrierDrop &&
                    op != kMbarrierInvalidate;
  if (needsValue && at >= ops.size())
    return malformed();
  Type type = op == kMbarrierWait ? Type::U64 : Type::U32;
  if (at < ops.size() && !source(ops[at], type, insn.s[1]))
    return malformed();
  return emitSelected();
}

} // namespace gpulto::emu
