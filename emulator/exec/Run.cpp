//===- Run.cpp - The loop that runs a warp --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goal: lockstep as long and as wide as possible, without ever starving a lane.
//
// 1. selectGroup: of the lanes that can run, those in the deepest call frame,
//    and of these those at the instruction of the lowest rank, form the group.
//    The join of a branch ranks behind both sides (emulator/ptx/Blocks.h); the
//    group at the lower rank thus catches up with the others.
// 2. The group runs until it splits, waits, ends, or reaches the rank of
//    waiting lanes of its frame, with which it then merges.
// 3. A group that goes round a loop of atomics or volatile loads while others
//    wait may be waiting for these: after kSpins such instructions it is
//    deferred, and the others get their turn. So intra-warp spin locks finish.
// 4. The same count ends the warp's slice, which gives other warps and blocks
//    their turn (grid barriers, look-back).
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/ExecCommon.h"

namespace gpulto::emu {
void warnMemberMask(Warp &w, const Insn &insn, uint32_t mask, unsigned lane);
}

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

/// Weight of instructions that may spin before the slice ends, and of taken
/// backward branches. Large enough to make rescheduling cheap, small enough
/// that a chain of a thousand waiting blocks resolves in well under a second.
constexpr uint32_t kSpins = 256 * 16;
constexpr uint32_t kBranchesOfSlice = 1u << 16;

struct Group {
  uint32_t mask = 0;
  uint32_t pc = 0;
  uint32_t next = ~0u; ///< Lowest rank of others in this frame above its own.
  bool others = false;
  bool forced = false;
  uint32_t spins = 0; ///< As in Slice.
};

inline uint32_t smallest(const uint32_t *v) {
  uint32_t r = ~0u;
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    r = v[l] < r ? v[l] : r;
  return r;
}

/// The rank of the instruction at \p pc, as Function::ranks.
inline uint32_t rankOf(const Function &fn, uint32_t pc) {
  return fn.ranks.empty() ? pc : fn.ranks[pc];
}

/// chooseGroup where all lanes are in the kernel's own frame.
void chooseInRoot(const Warp &w, uint32_t pool, uint32_t runnable, Group &g) {
  // Mostly, after a barrier or at the start, all are at one place.
  uint32_t first = w.pc[__builtin_ctz(pool)], apart = 0;
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    apart |= (w.pc[l] ^ first) & (0 - (runnable >> l & 1));
  if (!apart) {
    g.mask = runnable;
    g.pc = first;
    return;
  }
  alignas(64) uint32_t p[kLanes], q[kLanes], ranks[kLanes];
  alignas(32) uint8_t here[kLanes];
  const uint32_t *at = w.pc;
  const Function &fn = *w.frames[__builtin_ctz(pool)]->fn;
  if (!fn.ranks.empty()) {
    for (unsigned l = 0; l < kLanes; ++l)
      ranks[l] = runnable >> l & 1 ? fn.ranks[w.pc[l]] : ~0u;
    at = ranks;
  }
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    p[l] = at[l] | ((pool >> l & 1) - 1);
  uint32_t rank = smallest(p);
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    q[l] = at[l] > rank ? at[l] | ((runnable >> l & 1) - 1) : ~0u;
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l)
    here[l] = at[l] == rank;
  g.mask = toMask(here) & runnable;
  g.pc = w.pc[__builtin_ctz(g.mask)];
  g.next = smallest(q);
  g.others = g.mask != runnable;
}

/// Chooses among \p pool; merges with any of \p runnable at the same place.
void chooseGroup(const Warp &w, uint32_t pool, uint32_t runnable, Group &g) {
  if (w.framesUsed == 1) {
    chooseInRoot(w, pool, runnable, g);
    return;
  }
  const Frame *best = nullptr;
  uint32_t rank = ~0u;
  for (uint32_t rest = pool; rest; rest &= rest - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
    const Frame *f = w.frames[l];
    uint32_t here = rankOf(*f->fn, w.pc[l]);
    bool better = !best || f->depth > best->depth ||
                  (f->depth == best->depth &&
                   (f->id < best->id || (f == best && here < rank)));
    if (better) {
      best = f;
      rank = here;
    }
  }
  uint32_t mask = 0, next = ~0u;
  for (uint32_t rest = runnable; rest; rest &= rest - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(rest));
    if (w.frames[l] != best)
      continue;
    uint32_t here = rankOf(*best->fn, w.pc[l]);
    if (here == rank)
      mask |= 1u << l;
    else if (here > rank && here < next)
      next = here;
  }
  g.mask = mask;
  g.pc = w.pc[__builtin_ctz(mask)];
  g.next = next;
  g.others = mask != runnable;
}

/// False when no lane can run.
bool selectGroup(Warp &w, Group &g, bool force) {
  uint32_t runnable = w.alive & ~w.atBarrier & ~w.atSync;
  g = Group();
  if (!runnable) {
    if (!w.atSync || !force)
      return false;
    // No other lane can arrive: continue with those that are here.
    chooseGroup(w, w.atSync, w.atSync, g);
    w.atSync &= ~g.mask;
    g.forced = true;
    g.next = ~0u;
  } else {
    uint32_t pool = runnable & ~w.deferred;
    if (!pool) {
      w.deferred = 0;
      pool = runnable;
    }
    if (w.block->launch->oneThread) {
      unsigned l = static_cast<unsigned>(__builtin_ctz(pool));
      g.mask = 1u << l;
      g.pc = w.pc[l];
      g.others = runnable != g.mask;
    } else {
      chooseGroup(w, pool, runnable, g);
    }
  }
  Frame *frame = w.frames[__builtin_ctz(g.mask)];
  // A worker may have changed since, and with it the counts.
  if (frame != w.frame || w.worker != w.lastWorker)
    useFrame(w, frame);
  w.active = g.mask;
  return true;
}

inline void setPc(Warp &w, uint32_t mask, uint32_t pc) {
  EMU_VECTORIZE
  for (unsigned l = 0; l < kLanes; ++l) {
    uint32_t keep = (mask >> l & 1) - 1;
    w.pc[l] = (w.pc[l] & keep) | (pc & ~keep);
  }
}

/// Whether lanes at \p a and lanes at \p b, of one function, meet: "executed
/// shfl.sync with the same qualifiers" (PTX ISA), wherever. Matrix instructions
/// are `.aligned`.
bool isMetBy(const Insn &a, const Insn &b) {
  return a.cls == InsnClass::WarpOp && b.cls == InsnClass::WarpOp &&
         b.ctl == Ctl::WarpSync && a.fn == b.fn && a.bytes == b.bytes;
}

/// Carries out \p i for the lanes \p here, and for \p elsewhere, which wait at
/// other instructions that do the same with registers of their own: as one over
/// a copy of the operands of all.
void meetElsewhere(Warp &w, const Insn &i, uint32_t here, uint32_t elsewhere) {
  constexpr size_t kSlotBytes = kLanes * sizeof(uint64_t);
  constexpr unsigned kResults = 2, kSources = 4;
  alignas(64) uint8_t slots[(kResults + kSources) * kSlotBytes] = {};
  Insn joint = i;
  uint8_t *const registers = w.base[0];
  const Insn *code = w.frame->fn->code.data();
  // Copies a lane's value between the operand \p op and slot \p slot; 0 bytes:
  // a bit.
  auto copy = [&](Op op, unsigned slot, size_t bytes, unsigned lane,
                  bool isResult) {
    uint8_t *operand = (op & 1 ? w.base[1] : registers) + (op >> 1);
    uint8_t *copied = slots + slot * kSlotBytes;
    uint8_t *to = isResult ? operand : copied;
    const uint8_t *from = isResult ? copied : operand;
    if (bytes) {
      std::memcpy(to + lane * bytes, from + lane * bytes, bytes);
      return;
    }
    uint32_t value, bits;
    std::memcpy(&value, from, sizeof(value));
    std::memcpy(&bits, to, sizeof(bits));
    bits = (bits & ~(1u << lane)) | (value & 1u << lane);
    std::memcpy(to, &bits, sizeof(bits));
  };
  auto insnOf = [&](unsigned lane) -> const Insn & {
    return here >> lane & 1 ? i : code[w.pc[lane]];
  };
  const size_t resultBytes[kResults] = {i.mode2, 0};
  const size_t sourceBytes[kSources] = {i.bytes, 4, 4, 4};
  each(here | elsewhere, [&](unsigned lane) {
    for (unsigned k = 0; k < kSources; ++k)
      if (i.s[k] != kNoOp)
        copy(insnOf(lane).s[k], kResults + k, sourceBytes[k], lane, false);
  });
  auto slotOp = [&](unsigned slot) {
    return static_cast<Op>(slot * kSlotBytes << 1);
  };
  for (unsigned k = 0; k < kResults; ++k)
    joint.d[k] = slotOp(k);
  for (unsigned k = 0; k < kSources; ++k)
    if (i.s[k] != kNoOp)
      joint.s[k] = slotOp(kResults + k);
  w.base[0] = slots;
  i.fn(w, joint, here | elsewhere);
  w.base[0] = registers;
  each(here | elsewhere, [&](unsigned lane) {
    for (unsigned k = 0; k < kResults; ++k)
      if (Op op = insnOf(lane).d[k]; op != kNoOp)
        copy(op, k, resultBytes[k], lane, true);
  });
}

/// shfl.sync and the like, for the lanes \p m of the group at \p pc. Lanes
/// whose partners are missing wait. Returns the lanes that went on from here.
uint32_t syncLanes(Warp &w, const Insn &i, uint32_t m, uint32_t pc,
                   bool forced) {
  uint32_t passed = 0;
  bool isBarrier = i.ctl == Ctl::WarpBarrier;
  alignas(64) uint32_t wanted[kLanes];
  if (i.s[3] == kNoOp)
    std::memset(wanted, 0xff, sizeof(wanted));
  else
    std::memcpy(wanted, src<uint32_t>(w, i.s[3]), sizeof(wanted));
  for (uint32_t rest = m; rest;) {
    uint32_t want = wanted[__builtin_ctz(rest)], here = 0;
    for (uint32_t r = rest; r; r &= r - 1)
      if (wanted[__builtin_ctz(r)] == want)
        here |= r & (0 - r);
    rest &= ~here;
    if (here & ~want)
      warnMemberMask(w, i, want,
                     static_cast<unsigned>(__builtin_ctz(here & ~want)));
    // Lanes that wait for the same set: at this instruction, at another of the
    // function that does the same, or at any bar.warp.sync.
    uint32_t joined = 0, elsewhere = 0;
    for (uint32_t r = w.atSync; r; r &= r - 1) {
      unsigned l = static_cast<unsigned>(__builtin_ctz(r));
      bool isInFrame = w.frames[l] == w.frame;
      bool same = isInFrame && w.pc[l] == pc;
      const Insn &other = w.frames[l]->fn->code[w.pc[l]];
      bool meets = isBarrier ? other.ctl == Ctl::WarpBarrier
                             : isInFrame && isMetBy(i, other);
      if (w.syncMask[l] != want || !(same || meets))
        continue;
      joined |= 1u << l;
      elsewhere |= same ? 0 : 1u << l;
    }
    if (!forced && (want & w.alive & ~(here | joined))) {
      w.atSync |= here;
      each(here, [&](unsigned l) {
        w.pc[l] = pc;
        w.syncMask[l] = want;
      });
      continue;
    }
    w.atSync &= ~joined;
    if (isBarrier) {
      // Only this one orders memory. Lanes that waited elsewhere continue from
      // there.
      ++w.syncPhase;
      each(joined, [&](unsigned l) { ++w.pc[l]; });
      passed |= here;
    } else {
      w.active |= joined;
      joined &= ~elsewhere;
      if (w.accesses)
        traceInsn(w, i, here | joined);
      if (!elsewhere) {
        i.fn(w, i, here | joined);
      } else {
        meetElsewhere(w, i, here | joined, elsewhere);
        each(elsewhere, [&](unsigned l) { ++w.pc[l]; });
      }
      passed |= here | joined;
    }
  }
  return passed;
}

/// Lanes \p m end.
void endLanes(Warp &w, uint32_t m) {
  w.alive &= ~m;
  w.deferred &= ~m;
  w.atSync = 0; // They check again for whom to wait.
  w.block->liveThreads -= static_cast<uint32_t>(__builtin_popcount(m));
  recheckBarriers(*w.block);
  leaveCluster(w, m);
}

/// What a warp has used up of its slice.
struct Slice {
  const uint64_t limit; ///< Of Worker::warpInsns.
  uint32_t spins = 0, branches = 0;
};

/// What comes behind an instruction.
struct Then {
  enum Kind : uint8_t {
    Next,   ///< The group goes on.
    Select, ///< Warp::pc is right for all lanes: a group is chosen anew.
    Stop,   ///< The slice ends.
  } kind;
  RunResult result = RunResult::Fault;
};
constexpr Then kNext = {Then::Next}, kSelect = {Then::Select};
constexpr Then kFault = {Then::Stop, RunResult::Fault};
constexpr Then kSlice = {Then::Stop, RunResult::Slice};
constexpr Then kProgress = {Then::Stop, RunResult::Progress};

/// The lanes of \p mask whose guard lets them execute \p i.
inline uint32_t guarded(const Warp &w, const Insn &i, uint32_t mask) {
  if (i.guard == kNoGuard)
    return mask;
  uint32_t p = *reinterpret_cast<uint32_t *>(w.base[0] + i.guard);
  return mask & (i.flags & kGuardNegated ? ~p : p);
}

/// Calls the handler of an instruction that may fault.
inline Then callHandler(Warp &w, const Insn &i, uint32_t m) {
  if (!m)
    return kNext;
  i.fn(w, i, m);
  return w.worker->faulted ? kFault : kNext;
}

/// Steps 3 and 4 of the above, for an instruction that may be of a loop that
/// waits, and that has been executed.
inline Then countSpin(Warp &w, const Insn &i, Group &g, Slice &slice,
                      uint32_t behind) {
  slice.spins += i.mode2;
  g.spins += i.mode2;
  bool isOver = slice.spins >= kSpins;
  if (!isOver && !(g.others && g.spins >= kSpins))
    return kNext;
  if (g.others)
    w.deferred |= g.mask;
  setPc(w, g.mask, behind);
  return isOver ? kSlice : kSelect;
}

/// Counts a branch that may be of a long loop; true when the slice is over.
inline bool countBranch(const Warp &w, Slice &slice) {
  return ++slice.branches >= kBranchesOfSlice ||
         w.worker->warpInsns >= slice.limit;
}

/// The lanes \p m of the group at \p pc branch; \p behind becomes the group's
/// next counter if it stays together.
template <bool kCount>
inline Then branch(Warp &w, const Insn &i, const Group &g, Slice &slice,
                   uint32_t m, uint32_t pc, uint32_t &behind) {
  if (!m)
    return kNext;
  if (m != g.mask) {
    if (kCount)
      ++w.counts[pc].divergent;
    setPc(w, m, i.target);
    setPc(w, g.mask & ~m, behind);
    return kSelect;
  }
  behind = i.target;
  if (i.target > pc || !countBranch(w, slice))
    return kNext;
  setPc(w, g.mask, behind);
  return kProgress;
}

// Instructions behind which the group is mostly another one. \p m are the lanes
// that execute them, \p behind is the counter of the instruction behind.
// ---------------------------------------------------------------------

Then branchIndex(Warp &w, const Insn &i, const Group &g, Slice &slice,
                 uint32_t m, uint32_t behind) {
  const std::vector<uint32_t> &table = w.frame->fn->branchTables[i.target];
  const uint32_t *index = src<uint32_t>(w, i.s[0]);
  setPc(w, g.mask & ~m, behind);
  for (uint32_t r = m; r; r &= r - 1) {
    unsigned l = static_cast<unsigned>(__builtin_ctz(r));
    if (index[l] >= table.size()) {
      raiseFault(w, i, l, ErrorKind::InvalidPc,
                 "brx.idx index " + std::to_string(index[l]) +
                     " of a table of " + std::to_string(table.size()));
      return kFault;
    }
    w.pc[l] = table[index[l]];
  }
  return countBranch(w, slice) ? kProgress : kSelect;
}

Then leave(Warp &w, const Insn &i, const Group &g, uint32_t m,
           uint32_t behind) {
  setPc(w, g.mask & ~m, behind);
  if (m) {
    if (i.ctl == Ctl::Exit || w.frame->depth == 0)
      endLanes(w, m);
    else
      leaveCall(w, m);
  }
  return kSelect;
}

Then call(Warp &w, const Insn &i, const Group &g, const Slice &slice,
          uint32_t m, uint32_t behind) {
  setPc(w, g.mask & ~m, behind);
  if (!m)
    return kSelect;
  const CallSite &site = w.frame->fn->callSites[i.target];
  if (site.external != External::None) {
    if (w.accesses)
      clearTaint(w, m, site);
    return callExternal(w, i, m, site) ? kNext : kFault;
  }
  if (!enterCalls(w, i, m, site, behind))
    return kFault;
  return w.worker->warpInsns >= slice.limit ? kProgress : kSelect;
}

Then blockBarrier(Warp &w, const Insn &i, const Group &g, uint32_t m,
                  uint32_t behind) {
  setPc(w, g.mask, behind);
  if (!m)
    return kSelect;
  if (i.ctl == Ctl::ClusterBarrier) {
    clusterBarrier(w, i, m);
  } else {
    unsigned l = static_cast<unsigned>(__builtin_ctz(m));
    uint32_t id = src<uint32_t>(w, i.s[0])[l];
    uint32_t count = i.s[1] == kNoOp ? 0 : src<uint32_t>(w, i.s[1])[l];
    uint32_t p = i.s[2] == kNoOp ? 0 : predSrc(w, i.s[2]);
    arriveBarrier(w, i, m, id, count, p);
  }
  return w.worker->faulted ? kFault : kSelect;
}

Then warpSync(Warp &w, const Insn &i, Group &g, uint32_t m, uint32_t behind) {
  uint32_t passed = m ? syncLanes(w, i, m, behind - 1, g.forced) : 0;
  if (w.worker->faulted)
    return kFault;
  g.forced = false;
  if (passed == m && w.active == g.mask)
    return kNext;
  setPc(w, (g.mask & ~m) | passed, behind);
  return kSelect;
}

Then yield(Warp &w, const Group &g, uint32_t m, uint32_t behind) {
  setPc(w, g.mask, behind);
  if (!m)
    return kSelect;
  if (g.others)
    w.deferred |= g.mask;
  return kSlice;
}

Then stop(Warp &w, const Insn &i, uint32_t m) {
  if (!m)
    return kNext;
  raiseStop(w, i, m);
  return kFault;
}

Then control(Warp &w, const Insn &i, Group &g, Slice &slice, uint32_t m,
             uint32_t behind) {
  switch (i.ctl) {
  case Ctl::BranchIndex:
    return branchIndex(w, i, g, slice, m, behind);
  case Ctl::Exit:
  case Ctl::Return:
    return leave(w, i, g, m, behind);
  case Ctl::Call:
    return call(w, i, g, slice, m, behind);
  case Ctl::Barrier:
  case Ctl::ClusterBarrier:
    return blockBarrier(w, i, g, m, behind);
  case Ctl::WarpBarrier:
  case Ctl::WarpSync:
    return warpSync(w, i, g, m, behind);
  case Ctl::Yield:
    return yield(w, g, m, behind);
  default:
    return stop(w, i, m);
  }
}

/// Step 2. The counters of the group are in Warp::pc behind it, save where the
/// slice stops with a fault.
template <bool kCount, bool kTrace, bool kRanked>
inline Then runGroup(Warp &w, Group &g, Slice &slice) {
  Worker &worker = *w.worker;
  const Insn *code = w.frame->fn->code.data();
  const uint32_t *ranks = w.frame->fn->ranks.data();
  const uint32_t mask = g.mask, next = g.next;
  uint32_t pc = g.pc;
  do {
    const Insn &i = code[pc];
    const uint32_t m = guarded(w, i, mask);
    uint32_t behind = pc + 1;
    Then then = kNext;
    ++worker.warpInsns;
    if (kCount) {
      InsnCounts &c = w.counts[pc];
      ++c.warps;
      c.threads += static_cast<unsigned>(__builtin_popcount(m));
    }
    if (kTrace && m && i.ctl != Ctl::WarpSync) // Whose lanes may yet wait.
      traceInsn(w, i, m);
    switch (i.ctl) {
    case Ctl::Normal:
      if (m)
        i.fn(w, i, m);
      break;
    case Ctl::Faulting:
      then = callHandler(w, i, m);
      break;
    case Ctl::Spin:
      then = callHandler(w, i, m);
      if (then.kind == Then::Next)
        then = countSpin(w, i, g, slice, behind);
      break;
    case Ctl::Branch:
      then = branch<kCount>(w, i, g, slice, m, pc, behind);
      break;
    default:
      then = control(w, i, g, slice, m, behind);
    }
    if (then.kind != Then::Next)
      return then;
    pc = behind;
  } while ((kRanked ? ranks[pc] : pc) < next);
  setPc(w, mask, pc);
  return kSelect;
}

template <bool kCount, bool kTrace> RunResult run(Warp &w, bool force) {
  Slice slice = {w.block->launch->instructionLimit};
  for (Group g; selectGroup(w, g, force); force = false) {
    // Without others of its frame, it meets nobody.
    bool isRanked = g.next != ~0u && !w.frame->fn->ranks.empty();
    Then then = isRanked ? runGroup<kCount, kTrace, true>(w, g, slice)
                         : runGroup<kCount, kTrace, false>(w, g, slice);
    if (then.kind == Then::Stop)
      return then.result;
  }
  return w.alive ? RunResult::Blocked : RunResult::Done;
}

} // namespace

RunResult runWarp(Warp &w, bool force) {
  const Launch &launch = *w.block->launch;
  if (!launch.counting)
    return run<false, false>(w, force);
  return launch.tracing ? run<true, true>(w, force)
                        : run<true, false>(w, force);
}

static Handler select(const InsnDesc &d) {
  static constexpr Selector kSelectors[] = {
      selectPaired, selectMove,    selectInteger, selectBits,    selectFloat,
      selectHalf,   selectCompare, selectMemory,  selectConvert, selectAtomic,
      selectWarp,   selectAsync,   selectVideo,   selectTexture, selectSurface,
      selectMatrix, selectFragment};
  for (Selector s : kSelectors)
    if (Handler h = s(d))
      return h;
  return nullptr;
}

const ExecTable &execTable() {
  static constexpr ExecTable kTable = {select, runWarp};
  return kTable;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
