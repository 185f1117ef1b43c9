//===- RaceCheck.cpp - Races on shared memory -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two threads of a block touch one byte, at least one writes, at least one is
// not atomic, and no barrier lies between: neither one of the block nor, for
// threads of one warp, one of the warp. For every byte the last writer and two
// readers are kept, so that not every pair is found but every byte with a race
// between neighbors in time is. Threads of one warp in the same execution of
// one instruction are compared as well.
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/DeviceImpl.h"
#include "emulator/machine/Machine.h"

namespace gpulto::emu {

namespace {

/// One access to a byte.
struct Touch {
  uint32_t thread = ~0u; ///< Linear in the block; ~0: none.
  uint32_t phase = 0;    ///< Block::barrierPhase
  uint32_t syncPhase = 0;
  bool isAtomic = false;
  const Function *fn = nullptr;
  uint32_t pc = 0;
};

} // namespace

struct RaceShadow {
  std::vector<Touch> writes, reads, otherReads;
  std::set<std::string> reports;
};

void RaceShadowDelete::operator()(RaceShadow *shadow) const { delete shadow; }

std::unique_ptr<RaceShadow, RaceShadowDelete> makeRaceShadow(size_t bytes) {
  std::unique_ptr<RaceShadow, RaceShadowDelete> shadow(new RaceShadow);
  shadow->writes.resize(bytes);
  shadow->reads.resize(bytes);
  shadow->otherReads.resize(bytes);
  return shadow;
}

const std::set<std::string> &raceReportsOf(const RaceShadow &shadow) {
  return shadow.reports;
}

static bool conflicts(const Touch &a, const Touch &b) {
  if (a.thread == ~0u || a.thread == b.thread || a.phase != b.phase)
    return false;
  if (a.isAtomic && b.isAtomic)
    return false;
  bool sameWarp = a.thread / kLanes == b.thread / kLanes;
  return !sameWarp || a.syncPhase == b.syncPhase;
}

static std::string placeOf(const Touch &t) {
  return t.fn->texts[t.fn->info[t.pc].text] + " at " + *t.fn->sourceName + ":" +
         std::to_string(t.fn->info[t.pc].line);
}

static void reportRace(RaceShadow &shadow, const Launch &launch,
                       const char *kind, const Touch &a, const Touch &b) {
  std::string first = placeOf(a), second = placeOf(b);
  shadow.reports.insert("race on shared memory in kernel " +
                        launch.kernel->name + ": " + kind + ": " + first +
                        " and " + second);
}

void noteShared(Warp &w, const Insn &insn, uint32_t mask,
                const uint64_t *offsets, unsigned bytes, bool isWrite,
                bool isAtomic) {
  Block &block = *w.block;
  RaceShadow &shadow = *block.race;
  Touch touch;
  touch.phase = block.barrierPhase;
  touch.syncPhase = w.syncPhase;
  touch.isAtomic = isAtomic;
  touch.fn = w.frame->fn;
  touch.pc = static_cast<uint32_t>(&insn - w.frame->fn->code.data());
  for (uint32_t r = mask; r; r &= r - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(r));
    touch.thread = w.index * kLanes + lane;
    for (uint64_t at = offsets[lane]; at < offsets[lane] + bytes; ++at) {
      Touch &write = shadow.writes[at];
      if (conflicts(write, touch))
        reportRace(shadow, *block.launch,
                   isWrite ? "two writes" : "write, then read", write, touch);
      if (!isWrite) {
        Touch &read = shadow.reads[at];
        if (read.thread != touch.thread)
          shadow.otherReads[at] = read;
        read = touch;
        continue;
      }
      for (const Touch *read : {&shadow.reads[at], &shadow.otherReads[at]})
        if (conflicts(*read, touch))
          reportRace(shadow, *block.launch, "read, then write", *read, touch);
      write = touch;
    }
  }
}

} // namespace gpulto::emu
