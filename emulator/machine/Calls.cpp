//===- Calls.cpp - Frames, calls and returns ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A callee's registers lie behind its caller's on the warp's register stack,
// its local area behind its caller's in each lane's local memory. Calls of one
// function from one frame share a frame object wherever in the caller they
// stand, so that lanes that came there by different ways run together.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/DeviceImpl.h"
#include "emulator/machine/Machine.h"

#include <algorithm>
#include <cstring>

namespace gpulto::emu {

/// What one lane's local memory, and one warp's registers, may grow to.
static constexpr uint32_t kMaxLocalBytes = 512 << 10;
static constexpr size_t kMaxRegisterBytes = 256u << 20;
static constexpr uint32_t kReturnBytes = 16;
/// Keeps lanes' local memories from falling on one cache set.
static constexpr uint32_t kLocalPadBytes = 64;

void useFrame(Warp &w, Frame *frame) {
  w.frame = frame;
  w.lastWorker = w.worker;
  w.base[0] = w.regs.get() + frame->regOffset;
  w.base[1] = frame->fn->constants.get();
  if (!w.block->launch->counting)
    return;
  std::vector<std::vector<InsnCounts>> &counts = w.worker->counts;
  uint32_t id = frame->fn->globalId;
  if (counts.size() <= id)
    counts.resize(id + 1);
  if (counts[id].empty())
    counts[id].resize(frame->fn->code.size());
  w.counts = counts[id].data();
  if (!w.block->launch->tracing)
    return;
  AccessTable &accesses = w.worker->accesses;
  if (accesses.size() <= id)
    accesses.resize(id + 1);
  if (accesses[id].empty())
    accesses[id].resize(frame->fn->code.size() * kAccessSpaces);
  w.accesses = &accesses[id];
}

bool growRegisters(Warp &w, size_t bytes) {
  if (bytes <= w.regBytes)
    return true;
  if (bytes > kMaxRegisterBytes)
    return false;
  size_t wanted = std::max(bytes, w.regBytes * 2);
  AlignedBytes grown = allocateAligned(wanted);
  if (!grown)
    return false;
  if (w.regBytes)
    memcpy(grown.get(), w.regs.get(), w.regBytes);
  w.regs = std::move(grown);
  w.regBytes = wanted;
  w.lastWorker = nullptr; // The base in use moved.
  return true;
}

bool growLocal(Warp &w, uint32_t bytes) {
  if (bytes <= w.localBytes)
    return true;
  if (bytes > kMaxLocalBytes)
    return false;
  if (bytes + kLocalPadBytes <= w.localStride) {
    w.localBytes = bytes;
    return true;
  }
  uint32_t stride =
      ((std::max(bytes, w.localBytes * 2) + 63) & ~63u) + kLocalPadBytes;
  AlignedBytes grown = allocateAligned(size_t(stride) * kLanes);
  if (!grown)
    return false;
  for (unsigned l = 0; l < kLanes && w.localBytes; ++l)
    memcpy(grown.get() + size_t(l) * stride,
           w.local.get() + size_t(l) * w.localStride, w.localBytes);
  w.local = std::move(grown);
  w.localBytes = bytes;
  w.localStride = stride;
  return true;
}

Frame *newFrame(Warp &w) {
  if (w.framesUsed == w.framePool.size())
    w.framePool.emplace_back();
  Frame &f = w.framePool[w.framesUsed];
  f = Frame();
  f.id = static_cast<uint32_t>(w.framesUsed++);
  return &f;
}

/// Copies an argument or a result in the local memory of \p lane, at most as
/// many bytes as both have.
static void passValue(Warp &w, unsigned lane, uint32_t toBase,
                      const CallCopy &to, uint32_t fromBase,
                      const CallCopy &from) {
  uint8_t *local = w.local.get() + size_t(lane) * w.localStride;
  uint32_t bytes = std::min(to.sizeBytes, from.sizeBytes);
  memcpy(local + toBase + to.callerOffset, local + fromBase + from.callerOffset,
         bytes);
  if (w.taint)
    copyTaint(w, lane, toBase + to.callerOffset, fromBase + from.callerOffset,
              bytes);
}

/// The frame of \p callee called from \p caller.
static Frame *calleeFrame(Warp &w, Frame *caller, const Function &callee) {
  if (caller->lastCallee && caller->lastCallee->fn == &callee)
    return caller->lastCallee;
  for (Frame *f = caller->firstCallee; f; f = f->nextSibling) {
    if (f->fn == &callee) {
      caller->lastCallee = f;
      return f;
    }
  }
  uint32_t regOffset = caller->regOffset + caller->fn->frameBytes;
  uint32_t localBase = caller->localBase + caller->fn->localBytes;
  // Hardware keeps the return address on the stack as well.
  if (localBase + caller->depth * kReturnBytes > kMaxLocalBytes)
    return nullptr;
  if (!growRegisters(w, size_t(regOffset) + callee.frameBytes) ||
      !growLocal(w, localBase + callee.localBytes))
    return nullptr;
  Frame *f = newFrame(w);
  f->fn = &callee;
  f->regOffset = regOffset;
  f->localBase = localBase;
  f->depth = caller->depth + 1;
  f->nextSibling = caller->firstCallee;
  caller->firstCallee = caller->lastCallee = f;
  return f;
}

static bool enterOne(Warp &w, const Insn &insn, uint32_t mask,
                     const CallSite &site, const Function &callee,
                     uint32_t returnPc) {
  unsigned first = static_cast<unsigned>(__builtin_ctz(mask));
  if (callee.params.size() != site.arguments.size() ||
      callee.returns.size() < site.results.size()) {
    raiseFault(w, insn, first, ErrorKind::IllegalInstruction,
               "call of " + callee.name + " with " +
                   std::to_string(site.arguments.size()) +
                   " arguments, it takes " +
                   std::to_string(callee.params.size()));
    return false;
  }
  Frame *caller = w.frame;
  Frame *frame = calleeFrame(w, caller, callee);
  if (!frame) {
    raiseFault(w, insn, first, ErrorKind::StackOverflow,
               "stack overflow in the call of " + callee.name);
    return false;
  }
  for (uint32_t r = mask; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    for (size_t k = 0; k < site.arguments.size(); ++k)
      passValue(w, l, frame->localBase, callee.params[k], caller->localBase,
                site.arguments[k]);
    w.calls[l].push_back({caller, returnPc, &site});
    w.frames[l] = frame;
    w.pc[l] = 0;
  }
  return true;
}

/// A callee through a pointer: decoded, and with this kernel's shared layout.
static const Function *indirectCallee(Warp &w, const Insn &insn, unsigned lane,
                                      uint64_t handle) {
  Launch &launch = *w.block->launch;
  FunctionEntry *entry = launch.device->functionOf(handle);
  if (!entry || entry->fn.isEntry) {
    raiseFault(w, insn, lane, ErrorKind::InvalidPc,
               "call through a pointer that is not one of a function");
    return nullptr;
  }
  Status status = entry->module->decode(*entry);
  if (!status.ok()) {
    raiseFault(w, insn, lane, status.kind, status.text);
    return nullptr;
  }
  if (!entry->fn.sharedUses.empty() && entry->layoutOwner != launch.layout) {
    raiseFault(w, insn, lane, ErrorKind::NotImplemented,
               "not implemented: call of " + entry->fn.name +
                   ", which has shared variables and is not known to be "
                   "reached from this kernel");
    return nullptr;
  }
  return &entry->fn;
}

bool enterCalls(Warp &w, const Insn &insn, uint32_t mask, const CallSite &site,
                uint32_t returnPc) {
  if (site.callee)
    return enterOne(w, insn, mask, site, *site.callee, returnPc);
  uint64_t handles[kLanes];
  memcpy(handles, w.base[insn.s[0] & 1] + (insn.s[0] >> 1), sizeof(handles));
  while (mask) {
    unsigned first = static_cast<unsigned>(__builtin_ctz(mask));
    uint32_t same = 0;
    for (uint32_t r = mask; r; r &= r - 1)
      if (handles[__builtin_ctz(r)] == handles[first])
        same |= r & (0 - r);
    const Function *callee = indirectCallee(w, insn, first, handles[first]);
    if (!callee || !enterOne(w, insn, same, site, *callee, returnPc))
      return false;
    mask &= ~same;
  }
  return true;
}

void leaveCall(Warp &w, uint32_t mask) {
  const Frame *frame = w.frame;
  const Function &fn = *frame->fn;
  for (uint32_t r = mask; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    CallRecord record = w.calls[l].back();
    w.calls[l].pop_back();
    for (size_t k = 0; k < record.site->results.size(); ++k)
      passValue(w, l, record.frame->localBase, record.site->results[k],
                frame->localBase, fn.returns[k]);
    w.frames[l] = record.frame;
    w.pc[l] = record.pc;
  }
}

} // namespace gpulto::emu
