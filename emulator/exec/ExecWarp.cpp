//===- ExecWarp.cpp - shfl, vote, match, redux, activemask, elect ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The run loop calls these when the lanes of the member mask have arrived; the
// mask given is that of the lanes that are here. A value taken from a lane that
// is not here is undefined in PTX; it is that lane's register here.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/ExecCommon.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

template <ShuffleMode S> void shuffle(Warp &w, const Insn &i, uint32_t m) {
  alignas(64) uint32_t a[kLanes], b[kLanes], c[kLanes];
  std::memcpy(a, src<uint32_t>(w, i.s[0]), sizeof(a));
  std::memcpy(b, src<uint32_t>(w, i.s[1]), sizeof(b));
  std::memcpy(c, src<uint32_t>(w, i.s[2]), sizeof(c));
  // Never null: GCC 12 makes a test of it in the loop the mask of a gather,
  // with 1 where the sign bit is wanted, and nothing is loaded.
  alignas(64) uint32_t dropped[kLanes];
  uint32_t *d = i.d[0] == kNoOp ? dropped : dst<uint32_t>(w, i.d[0]);
  uint32_t valid = 0;
  each(m, [&](unsigned l) {
    bool in = false;
    unsigned from = shuffledLane(S, l, b[l], c[l], in);
    valid |= static_cast<uint32_t>(in) << l;
    d[l] = a[from];
  });
  if (i.d[1] != kNoOp)
    writePred(w, i.d[1], m, valid);
}

/// The lanes that take part: those here that the member mask names.
inline uint32_t members(Warp &w, const Insn &i, uint32_t m) {
  if (i.s[3] == kNoOp)
    return m;
  return m & src<uint32_t>(w, i.s[3])[__builtin_ctz(m)];
}

enum class Vote : uint8_t { All, Any, Uniform, Ballot };

template <Vote V> void vote(Warp &w, const Insn &i, uint32_t m) {
  uint32_t here = members(w, i, m);
  uint32_t p = predSrc(w, i.s[0]) & here;
  if (V == Vote::Ballot) {
    map(m, dst<uint32_t>(w, i.d[0]), [p](uint32_t) { return p; }, w.tid[0]);
    return;
  }
  bool r = V == Vote::All   ? p == here
           : V == Vote::Any ? p != 0
                            : p == 0 || p == here;
  writePred(w, i.d[0], m, r ? kAllLanes : 0);
}

template <class T> void matchAny(Warp &w, const Insn &i, uint32_t m) {
  uint32_t here = members(w, i, m);
  const T *a = src<T>(w, i.s[0]);
  uint32_t r[kLanes];
  each(m, [&](unsigned l) {
    r[l] = 0;
    for (uint32_t rest = here; rest; rest &= rest - 1) {
      unsigned k = static_cast<unsigned>(__builtin_ctz(rest));
      r[l] |= static_cast<uint32_t>(a[k] == a[l]) << k;
    }
  });
  uint32_t *d = dst<uint32_t>(w, i.d[0]);
  each(m, [&](unsigned l) { d[l] = r[l]; });
}
template <class T> void matchAll(Warp &w, const Insn &i, uint32_t m) {
  uint32_t here = members(w, i, m);
  const T *a = src<T>(w, i.s[0]);
  T first = a[__builtin_ctz(here ? here : m)];
  bool same = true;
  each(here, [&](unsigned l) { same &= a[l] == first; });
  if (i.d[1] != kNoOp)
    writePred(w, i.d[1], m, same ? kAllLanes : 0);
  if (i.d[0] != kNoOp) {
    uint32_t v = same ? here : 0;
    map(m, dst<uint32_t>(w, i.d[0]), [v](uint32_t) { return v; }, w.tid[0]);
  }
}

enum class Reduce : uint8_t { Add, Min, Max, And, Or, Xor };

template <Reduce R, class T> void redux(Warp &w, const Insn &i, uint32_t m) {
  uint32_t here = members(w, i, m);
  const T *a = src<T>(w, i.s[0]);
  bool begun = false;
  T r = 0;
  each(here, [&](unsigned l) {
    T x = a[l];
    if (!begun) {
      r = x;
      begun = true;
      return;
    }
    switch (R) {
    case Reduce::Add:
      r = static_cast<T>(static_cast<uint32_t>(r) + static_cast<uint32_t>(x));
      break;
    case Reduce::Min:
      r = x < r ? x : r;
      break;
    case Reduce::Max:
      r = x > r ? x : r;
      break;
    case Reduce::And:
      r &= x;
      break;
    case Reduce::Or:
      r |= x;
      break;
    case Reduce::Xor:
      r ^= x;
      break;
    }
  });
  map(m, dst<T>(w, i.d[0]), [r](uint32_t) { return r; }, w.tid[0]);
}

/// min and max of f32; PTX ISA 9.0, "redux.sync". NaN does not count, unless it
/// is named or all are.
template <bool kMax, bool kNaN, bool kAbs>
void reduxFloat(Warp &w, const Insn &i, uint32_t m) {
  uint32_t here = members(w, i, m);
  const uint32_t *a = src<uint32_t>(w, i.s[0]);
  constexpr uint32_t kInfinity = 0x7f800000, kCanonicalNaN = 0x7fffffff;
  bool anyNaN = false, any = false;
  int64_t best = 0;
  each(here, [&](unsigned l) {
    uint32_t bits = kAbs ? a[l] & 0x7fffffff : a[l];
    if ((bits & 0x7fffffff) > kInfinity) {
      anyNaN = true;
      return;
    }
    // Numbers in the order of their values, -0 before 0.
    int64_t key = bits >> 31 ? -1 - static_cast<int64_t>(bits & 0x7fffffff)
                             : static_cast<int64_t>(bits);
    if (!any || (kMax ? key > best : key < best))
      best = key;
    any = true;
  });
  uint32_t r = best < 0 ? static_cast<uint32_t>(-1 - best) | 0x80000000
                        : static_cast<uint32_t>(best);
  if (!any || (kNaN && anyNaN))
    r = kCanonicalNaN;
  map(m, dst<uint32_t>(w, i.d[0]), [r](uint32_t) { return r; }, w.tid[0]);
}

template <bool kMax> Handler selectReduxFloat(const InsnDesc &d) {
  if (d.has("NaN"))
    return d.has("abs") ? reduxFloat<kMax, true, true>
                        : reduxFloat<kMax, true, false>;
  return d.has("abs") ? reduxFloat<kMax, false, true>
                      : reduxFloat<kMax, false, false>;
}

void activeMask(Warp &w, const Insn &i, uint32_t m) {
  uint32_t v = w.active;
  map(m, dst<uint32_t>(w, i.d[0]), [v](uint32_t) { return v; }, w.tid[0]);
}

/// elect.sync: the lowest member; d[0] its lane.
void elect(Warp &w, const Insn &i, uint32_t m) {
  uint32_t here = members(w, i, m);
  if (!here)
    here = m;
  uint32_t leader = static_cast<uint32_t>(__builtin_ctz(here));
  if (i.d[0] != kNoOp)
    map(
        m, dst<uint32_t>(w, i.d[0]), [leader](uint32_t) { return leader; },
        w.tid[0]);
  if (i.d[1] != kNoOp)
    writePred(w, i.d[1], m, 1u << leader);
}

Handler selectRedux(const InsnDesc &d) {
  bool s = d.type() == Type::S32;
  if (d.type() == Type::F32)
    return d.has("max") ? selectReduxFloat<true>(d)
                        : selectReduxFloat<false>(d);
  if (sizeOf(d.type()) != 4 || isFloat(d.type()))
    return nullptr;
  if (d.has("add"))
    return redux<Reduce::Add, uint32_t>;
  if (d.has("min"))
    return s ? redux<Reduce::Min, int32_t> : redux<Reduce::Min, uint32_t>;
  if (d.has("max"))
    return s ? redux<Reduce::Max, int32_t> : redux<Reduce::Max, uint32_t>;
  if (d.has("and"))
    return redux<Reduce::And, uint32_t>;
  if (d.has("or"))
    return redux<Reduce::Or, uint32_t>;
  if (d.has("xor"))
    return redux<Reduce::Xor, uint32_t>;
  return nullptr;
}

} // namespace

Handler selectWarp(const InsnDesc &d) {
  std::string_view op = d.opcode;
  if (op == "shfl")
    return d.has("up")     ? shuffle<kShuffleUp>
           : d.has("down") ? shuffle<kShuffleDown>
           : d.has("bfly") ? shuffle<kShuffleButterfly>
                           : shuffle<kShuffleIndex>;
  if (op == "vote")
    return d.has("all")   ? vote<Vote::All>
           : d.has("any") ? vote<Vote::Any>
           : d.has("uni") ? vote<Vote::Uniform>
                          : vote<Vote::Ballot>;
  if (op == "match") {
    bool wide = sizeOf(d.type()) == 8;
    if (d.has("any"))
      return wide ? matchAny<uint64_t> : matchAny<uint32_t>;
    return wide ? matchAll<uint64_t> : matchAll<uint32_t>;
  }
  if (op == "redux")
    return selectRedux(d);
  if (op == "activemask")
    return activeMask;
  if (op == "elect")
    return elect;
  return nullptr;
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
