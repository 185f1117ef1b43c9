//===- RegisterAssignment.cpp - Slots of the register file ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goal: small frames. PTX is in SSA form or near it, so a large kernel names
// thousands of registers; at 128 bytes each for a warp they would not stay in
// the first-level cache. Registers that are not live together share a slot.
//
// Example: in "add a, b, c; add d, a, c" d takes b's slot.
//
// 1. findBlocks (Blocks.h): basic blocks from branches.
// 2. solveLiveness: backward data flow over registers that cross blocks.
// 3. buildIntervals: one interval a register, from first to last live position.
// 4. scan: linear scan in order of starts (Poletto and Sarkar, Linear scan
//    register allocation, 1999), one free list per size.
//
// Sharing is right for diverged warps as well: lanes own their columns, and
// what is live is a property of a lane's own path. A guarded write keeps the
// old value in the other lanes and so counts as a read. A destination never
// shares with a source of the same instruction, since widths may differ.
//
// Complexity: O(blocks * crossing registers / 64) per round of step 2, and
// O(n log n) for the rest. The largest number of registers live at once is what
// is reported as the kernel's register count.
//
//===----------------------------------------------------------------------===//

#include "emulator/ptx/Blocks.h"
#include "emulator/ptx/Decoder.h"

#include <algorithm>
#include <cstring>
#include <queue>

namespace gpulto::emu {

AlignedBytes allocateAligned(size_t bytes) {
  bytes = (bytes + 63) & ~size_t(63);
  if (!bytes)
    bytes = 64;
  void *p = aligned_alloc(64, bytes);
  if (p)
    memset(p, 0, bytes);
  return AlignedBytes(static_cast<uint8_t *>(p));
}

namespace {

constexpr uint32_t kUnitBytes = 64;

using Bits = std::vector<uint64_t>;

class Assigner {
public:
  Assigner(Function &fn, const std::vector<VirtualRegister> &registers,
           const std::vector<RegisterUses> &uses)
      : fn(fn), registers(registers), uses(uses), blocks(findBlocks(fn)) {}

  void findCrossing();
  void solveLiveness();
  void buildIntervals();
  void scan();

  std::vector<uint32_t> offsets; ///< By register.

private:
  bool isGuarded(uint32_t k) const { return fn.code[k].guard != kNoGuard; }
  void extend(uint32_t reg, uint32_t position) {
    starts[reg] = std::min(starts[reg], position);
    ends[reg] = std::max(ends[reg], position);
  }

  Function &fn;
  const std::vector<VirtualRegister> &registers;
  const std::vector<RegisterUses> &uses;
  std::vector<BasicBlock> blocks;
  std::vector<uint32_t> crossing; ///< Dense number + 1, or 0, by register.
  std::vector<uint32_t> crossingRegisters;
  std::vector<Bits> liveIn, liveOut;
  std::vector<uint32_t> starts, ends;
};

/// Numbers the registers that are used in a block before they are written
/// there; all others live within single blocks.
void Assigner::findCrossing() {
  crossing.assign(registers.size(), 0);
  std::vector<uint32_t> writtenIn(registers.size(), ~0u);
  auto mark = [&](uint32_t reg) {
    if (crossing[reg])
      return;
    crossingRegisters.push_back(reg);
    crossing[reg] = static_cast<uint32_t>(crossingRegisters.size());
  };
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    for (uint32_t k = blocks[b].begin; k < blocks[b].end; ++k) {
      for (uint32_t reg : uses[k].uses)
        if (writtenIn[reg] != b)
          mark(reg);
      for (uint32_t reg : uses[k].defs) {
        if (isGuarded(k) && writtenIn[reg] != b)
          mark(reg);
        if (!isGuarded(k))
          writtenIn[reg] = b;
      }
    }
  }
}

void Assigner::solveLiveness() {
  size_t words = (crossingRegisters.size() + 63) / 64;
  std::vector<Bits> gen(blocks.size(), Bits(words)),
      kill(blocks.size(), Bits(words));
  liveIn.assign(blocks.size(), Bits(words));
  liveOut.assign(blocks.size(), Bits(words));
  auto set = [](Bits &bits, uint32_t n) { bits[n / 64] |= 1ull << (n % 64); };
  auto has = [](const Bits &bits, uint32_t n) {
    return bits[n / 64] >> (n % 64) & 1;
  };
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (uint32_t k = blocks[b].begin; k < blocks[b].end; ++k) {
      for (uint32_t reg : uses[k].uses)
        if (crossing[reg] && !has(kill[b], crossing[reg] - 1))
          set(gen[b], crossing[reg] - 1);
      for (uint32_t reg : uses[k].defs) {
        if (!crossing[reg])
          continue;
        uint32_t n = crossing[reg] - 1;
        if (!isGuarded(k))
          set(kill[b], n);
        else if (!has(kill[b], n))
          set(gen[b], n);
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = blocks.size(); b-- > 0;) {
      for (size_t word = 0; word < words; ++word) {
        uint64_t out = 0;
        for (uint32_t s : blocks[b].successors)
          out |= liveIn[s][word];
        uint64_t in = gen[b][word] | (out & ~kill[b][word]);
        if (in != liveIn[b][word] || out != liveOut[b][word])
          changed = true;
        liveIn[b][word] = in;
        liveOut[b][word] = out;
      }
    }
  }
}

void Assigner::buildIntervals() {
  starts.assign(registers.size(), ~0u);
  ends.assign(registers.size(), 0);
  for (uint32_t k = 0; k < uses.size(); ++k) {
    for (uint32_t reg : uses[k].uses)
      extend(reg, k);
    for (uint32_t reg : uses[k].defs)
      extend(reg, k);
  }
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (size_t n = 0; n < crossingRegisters.size(); ++n) {
      if (liveIn[b][n / 64] >> (n % 64) & 1)
        extend(crossingRegisters[n], blocks[b].begin);
      if (liveOut[b][n / 64] >> (n % 64) & 1)
        extend(crossingRegisters[n], blocks[b].end - 1);
    }
  }
}

void Assigner::scan() {
  std::vector<uint32_t> order;
  for (uint32_t reg = 0; reg < registers.size(); ++reg)
    if (starts[reg] != ~0u)
      order.push_back(reg);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return starts[a] != starts[b] ? starts[a] < starts[b] : a < b;
  });
  offsets.assign(registers.size(), 0);
  using Active = std::pair<uint32_t, uint32_t>; // End, register.
  std::priority_queue<Active, std::vector<Active>, std::greater<>> active;
  std::vector<uint32_t> freeSlots[17]; // By bytes of a lane; 0: predicates.
  uint32_t top = 0, predicates = 0, live = 0;
  auto weight = [&](uint32_t reg) {
    return (registers[reg].bytes + 3) / 4; // 32-bit registers
  };
  for (uint32_t reg : order) {
    while (!active.empty() && active.top().first < starts[reg]) {
      uint32_t old = active.top().second;
      active.pop();
      freeSlots[registers[old].bytes].push_back(offsets[old]);
      live -= weight(old);
    }
    unsigned bytes = registers[reg].bytes;
    if (!freeSlots[bytes].empty()) {
      offsets[reg] = freeSlots[bytes].back();
      freeSlots[bytes].pop_back();
    } else if (bytes == 0) {
      offsets[reg] = predicates;
      predicates += 4;
    } else {
      offsets[reg] = top;
      top += bytes * kLanes;
    }
    active.push({ends[reg], reg});
    live += weight(reg);
    fn.liveRegisters = std::max(fn.liveRegisters, live);
  }
  for (uint32_t reg : order)
    if (registers[reg].bytes == 0)
      offsets[reg] += top;
  fn.frameBytes = (top + predicates + kUnitBytes - 1) & ~(kUnitBytes - 1);
}

/// Broadcasts a constant to all lanes at \p to.
void broadcast(uint8_t *to, unsigned bytes, uint64_t value) {
  if (bytes == 0) {
    uint32_t mask = value ? kAllLanes : 0;
    memcpy(to, &mask, sizeof(mask));
    return;
  }
  if (bytes == 16) { // Two columns; the upper one stays zero.
    for (unsigned l = 0; l < kLanes; ++l)
      memcpy(to + l * 8, &value, 8);
    return;
  }
  for (unsigned l = 0; l < kLanes; ++l)
    memcpy(to + l * bytes, &value, bytes);
}

/// Fills in Function::flowOffsets; guards are still registers. A guard is the
/// first of the uses.
void recordFlows(Function &fn, const std::vector<RegisterUses> &uses,
                 const std::vector<uint32_t> &offsets) {
  for (size_t k = 0; k < fn.code.size(); ++k) {
    Flow &flow = fn.flows[k];
    const std::vector<uint32_t> &from = uses[k].uses;
    const uint32_t guard = fn.code[k].guard;
    size_t skip =
        guard != kNoGuard && !from.empty() && from[0] == guard >> 1 ? 1 : 0;
    flow.first = static_cast<uint32_t>(fn.flowOffsets.size());
    flow.results = static_cast<uint16_t>(uses[k].defs.size());
    flow.sources = static_cast<uint16_t>(from.size() - skip);
    for (uint32_t reg : uses[k].defs)
      fn.flowOffsets.push_back(offsets[reg]);
    for (size_t n = skip; n < from.size(); ++n)
      fn.flowOffsets.push_back(offsets[from[n]]);
  }
}

} // namespace

bool assignRegisters(
    Function &fn, const std::vector<VirtualRegister> &registers,
    const std::vector<RegisterUses> &uses,
    const std::vector<std::pair<unsigned, uint64_t>> &constants) {
  Assigner assigner(fn, registers, uses);
  assigner.findCrossing();
  assigner.solveLiveness();
  assigner.buildIntervals();
  assigner.scan();

  std::vector<uint32_t> places;
  uint32_t total = 0;
  for (const auto &[bytes, value] : constants) {
    places.push_back(total);
    total += bytes ? bytes * kLanes : kUnitBytes;
  }
  fn.constants = allocateAligned(total);
  if (!fn.constants)
    return false;
  for (size_t k = 0; k < constants.size(); ++k)
    broadcast(fn.constants.get() + places[k], constants[k].first,
              constants[k].second);

  auto rewrite = [&](Op &op) {
    if (op == kNoOp)
      return;
    uint32_t index = op >> 1;
    op = op & 1 ? places[index] << 1 | 1 : assigner.offsets[index] << 1;
  };
  for (Insn &i : fn.code) {
    for (Op &op : i.d)
      rewrite(op);
    for (Op &op : i.s)
      rewrite(op);
  }
  for (Op &op : fn.extra)
    rewrite(op);
  recordFlows(fn, uses, assigner.offsets);
  for (Insn &i : fn.code)
    if (i.guard != kNoGuard)
      i.guard = assigner.offsets[i.guard >> 1];
  return true;
}

} // namespace gpulto::emu
