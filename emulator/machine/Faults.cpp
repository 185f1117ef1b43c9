//===- Faults.cpp - Faults of kernels -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/DeviceImpl.h"

#include <cstdio>

namespace gpulto::emu {

static std::string triple(uint32_t x, uint32_t y, uint32_t z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
         std::to_string(z) + ")";
}

static std::string hex(uint64_t value) {
  char text[32];
  snprintf(text, sizeof(text), "0x%llx",
           static_cast<unsigned long long>(value));
  return text;
}

/// "st.global.f32 at k.ptx:12 (k.cu:3) in kernel k, block (..), thread (..)"
static std::string place(const Warp &w, const Insn &insn, unsigned lane) {
  const Function &fn = *w.frame->fn;
  const Launch &launch = *w.block->launch;
  size_t pc = static_cast<size_t>(&insn - fn.code.data());
  std::string text;
  if (pc < fn.info.size()) {
    const InsnInfo &info = fn.info[pc];
    text = fn.texts[info.text] + " at " + *fn.sourceName + ":" +
           std::to_string(info.line);
    if (info.file && info.file < fn.files->size())
      text += " (" + (*fn.files)[info.file] + ":" +
              std::to_string(info.sourceLine) + ")";
  }
  text += " in kernel " + launch.kernel->name;
  if (&fn != launch.kernel)
    text += ", function " + fn.name;
  const uint32_t *c = w.block->ctaid;
  return text + ", block " + triple(c[0], c[1], c[2]) + ", thread " +
         triple(w.tid[0][lane], w.tid[1][lane], w.tid[2][lane]);
}

void raiseFault(Warp &w, const Insn &insn, unsigned lane, ErrorKind kind,
                const std::string &text) {
  Worker &worker = *w.worker;
  if (worker.faulted)
    return;
  worker.faulted = true;
  worker.fault.kind = kind;
  worker.fault.text = text + ": " + place(w, insn, lane);
}

/// True when kernels of the launch's device may use \p a.
static bool mayUse(const Launch &launch, const Allocation &a) {
  if (isForAllDevices(a.kind))
    return true;
  unsigned self = launch.device->ordinal();
  if (a.poolAccess)
    return a.poolAccess >> self & 1;
  return launch.peers >> a.device & 1;
}

/// Says where an address is that is not near any allocation.
static std::string describeUnknown(Warp &w, uint64_t address) {
  const Launch &launch = *w.block->launch;
  HostMapping mapping;
  if (launch.memory->contains(address))
    return ", where nothing was allocated";
  if (!w.worker->hostPages.find(address, mapping))
    return ", which is not an address of device memory";
  return launch.device->limits().accessesHostMemory
             ? ", in memory that the program may only read"
             : ", in memory of the program that is not registered";
}

void raiseAddressFault(Warp &w, const Insn &insn, unsigned lane,
                       uint64_t address, unsigned bytes, bool isWrite) {
  const Launch &launch = *w.block->launch;
  std::string text = std::string(isWrite ? "write" : "read") + " of " +
                     std::to_string(bytes) + " bytes at " + hex(address);
  ErrorKind kind = ErrorKind::IllegalAddress;
  Allocation a;
  bool isFreed = false;
  if (address - launch.sharedWindow < kWindowBytes) {
    text += ", byte " + std::to_string(address - launch.sharedWindow) +
            " of shared memory, of which the block has " +
            std::to_string(launch.sharedBytes);
  } else if (uint64_t far = address - launch.sharedWindow - kClusterWindows;
             far < kMaxClusterBlocks * kWindowBytes) {
    text += ", byte " + std::to_string(far % kWindowBytes) +
            " of shared memory of block " + std::to_string(far / kWindowBytes) +
            " of the cluster, which has " +
            std::to_string(launch.blocksPerCluster) + " with " +
            std::to_string(launch.sharedBytes) + " bytes each";
  } else if (address - launch.localWindow < kWindowBytes) {
    text += ", outside of the thread's local memory";
  } else if (address - launch.paramWindow < kWindowBytes) {
    text += isWrite ? ", in the kernel's parameters"
                    : ", outside of the kernel's parameters";
  } else if (address < 4096) {
    text += ": null pointer";
  } else if (!launch.memory->findNearest(address, a, isFreed) ||
             address - a.address > (1u << 30)) {
    text += describeUnknown(w, address);
  } else if (isFreed && address < a.address + a.sizeBytes) {
    text += ", in freed memory: byte " + std::to_string(address - a.address) +
            " of what was " + allocationName(a.kind) + " of " +
            std::to_string(a.sizeBytes) + " bytes";
  } else if (address + bytes <= a.address + a.sizeBytes && !mayUse(launch, a)) {
    text += std::string(", in ") + allocationName(a.kind) + " of device " +
            std::to_string(a.device) + ", to which device " +
            std::to_string(launch.device->ordinal()) + " has no access";
  } else if (address + bytes <= a.address + a.sizeBytes) {
    text += std::string(", in ") + allocationName(a.kind) +
            ", which device code may not write";
    kind = ErrorKind::InvalidAddressSpace;
  } else {
    text += ", " + std::to_string(address - a.address) +
            " bytes from the start of " + allocationName(a.kind) + " of " +
            std::to_string(a.sizeBytes) + " bytes";
    if (isFreed)
      text += " (freed)";
  }
  raiseFault(w, insn, lane, kind, text);
}

void raiseStop(Warp &w, const Insn &insn, uint32_t mask) {
  unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
  const Function &fn = *w.frame->fn;
  size_t pc = static_cast<size_t>(&insn - fn.code.data());
  switch (insn.ctl) {
  case Ctl::Trap:
    raiseFault(w, insn, lane, ErrorKind::Trap, "trap");
    return;
  case Ctl::Breakpoint:
    raiseFault(w, insn, lane, ErrorKind::Trap, "breakpoint");
    return;
  default:
    break;
  }
  const InsnInfo &info = fn.info[pc];
  Worker &worker = *w.worker;
  if (worker.faulted)
    return;
  worker.faulted = true;
  worker.fault.kind = ErrorKind::NotImplemented;
  worker.fault.text = "not implemented: " + fn.texts[info.text] + " at " +
                      fn.name + ":" + std::to_string(info.line);
}

/// A lane that its own member mask does not name: undefined in PTX. Told once
/// for each instruction.
void warnMemberMask(Warp &w, const Insn &insn, uint32_t mask, unsigned lane) {
  w.block->launch->device->warnOnce(&insn, [&] {
    return "the member mask " + hex(mask) +
           " does not name the thread, which is undefined: " +
           place(w, insn, lane);
  });
}

/// Finds memory of the program that nobody registered, where kernels may use
/// it.
static bool findPageable(Warp &w, uint64_t address, Allocation &a) {
  const Launch &launch = *w.block->launch;
  HostMapping mapping;
  if (!launch.device->limits().accessesHostMemory ||
      launch.memory->contains(address) ||
      !w.worker->hostPages.find(address, mapping))
    return false;
  Range range = launch.memory->outside(address, mapping.range);
  a = {range.begin, range.end - range.begin,
       mapping.isWritable ? AllocationKind::Pageable
                          : AllocationKind::PageableConst};
  return true;
}

bool findRange(Warp &w, uint64_t address, CachedRange &range) {
  Memory &memory = *w.block->launch->memory;
  uint32_t epoch = memory.epoch();
  Allocation a;
  if (memory.find(address, a) ? !mayUse(*w.block->launch, a)
                              : !findPageable(w, address, a))
    return false;
  range.begin = a.address;
  range.end = a.address + a.sizeBytes;
  range.epoch = epoch;
  range.kind = a.kind;
  return true;
}

} // namespace gpulto::emu
