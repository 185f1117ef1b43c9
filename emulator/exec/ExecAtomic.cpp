//===- ExecAtomic.cpp - atom and red --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes go in their order. Blocks of one grid may run on several threads, so
// global memory takes the host's atomic instructions; shared memory, and a grid
// on one thread, do not need them, save in system scope, where threads of the
// host take part. Any scope and ordering is at least met: x86
// orders more than PTX asks.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/FloatCommon.h"
#include "emulator/exec/Resolve.h"

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

enum class Op2 : uint8_t { Add, Min, Max, And, Or, Xor, Inc, Dec, Exch };

template <Op2 O, class T> inline T combine(T old, T b) {
  switch (O) {
  case Op2::Add:
    if constexpr (std::is_floating_point_v<T>)
      return canonical(old + b);
    else
      return static_cast<T>(static_cast<UInt<T>>(old) +
                            static_cast<UInt<T>>(b));
  case Op2::Min:
    return b < old ? b : old;
  case Op2::Max:
    return b > old ? b : old;
  case Op2::Inc:
    return old >= b ? T(0) : static_cast<T>(old + 1);
  case Op2::Dec:
    return old == 0 || old > b ? b : static_cast<T>(old - 1);
  case Op2::Exch:
    return b;
  default:
    if constexpr (!std::is_floating_point_v<T>)
      return O == Op2::And ? old & b : O == Op2::Or ? old | b : old ^ b;
  }
  return old;
}

/// Pairs of halves, added each.
template <class F, Op2 O> struct HalfPair {
  static uint32_t run(uint32_t old, uint32_t b, unsigned parts) {
    uint32_t r = 0;
    for (unsigned k = 0; k < parts; ++k) {
      float x = F::decode(static_cast<uint16_t>(old >> (16 * k)));
      float y = F::decode(static_cast<uint16_t>(b >> (16 * k)));
      float v = O == Op2::Add   ? x + y
                : O == Op2::Min ? (x != x  ? y
                                   : y < x ? y
                                           : x)
                                : (x != x  ? y
                                   : y > x ? y
                                           : x);
      r |= static_cast<uint32_t>(F::encodeFloat(v)) << (16 * k);
    }
    return r;
  }
};

/// Replaces *p by f(*p), atomically unless \p isAlone; returns what was there.
template <class T, class F> inline T update(uint64_t p, bool isAlone, F f) {
  using B = UInt<T>;
  B *at = reinterpret_cast<B *>(p);
  if (isAlone) {
    T old = bitCast<T>(*at);
    *at = bitCast<B>(f(old));
    return old;
  }
  B seen = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (true) {
    T old = bitCast<T>(seen);
    B wanted = bitCast<B>(f(old));
    if (__atomic_compare_exchange_n(at, &seen, wanted, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
      return old;
  }
}

inline bool isAlone(Warp &w, const Insn &i) {
  return i.space == Space::Shared ||
         (w.block->launch->singleThread && !(i.flags & kSystemScope));
}

/// A generic address may be any; only a grid on one thread is surely alone.
template <Op2 O, class T> void atomic(Warp &w, const Insn &i, uint32_t m) {
  alignas(64) uint64_t p[kLanes];
  unsigned vec = i.vec;
  if (!resolve(w, i, m, vec * sizeof(T), vec * sizeof(T), true, p, true))
    return;
  bool alone = isAlone(w, i);
  bool returns = i.d[0] != kNoOp || vec > 1;
  const emu::Op *ops = vec > 1 ? w.frame->fn->extra.data() + i.extra : nullptr;
  for (unsigned k = 0; k < vec; ++k) {
    emu::Op from = vec > 1 ? ops[vec + k] : i.s[1];
    emu::Op to = vec > 1 ? ops[k] : i.d[0];
    // Copied first: destination and source may be one register.
    alignas(64) T b[kLanes];
    std::memcpy(b, src<T>(w, from), sizeof(b));
    T *d = returns && to != kNoOp ? dst<T>(w, to) : nullptr;
    each(m, [&](unsigned l) {
      uint64_t at = p[l] + k * sizeof(T);
      T operand = b[l], old;
      if constexpr (O == Op2::Add && !std::is_floating_point_v<T>) {
        if (alone)
          old = update<T>(at, true,
                          [&](T x) { return combine<O, T>(x, operand); });
        else
          old = static_cast<T>(__atomic_fetch_add(
              reinterpret_cast<UInt<T> *>(at), static_cast<UInt<T>>(operand),
              __ATOMIC_SEQ_CST));
      } else {
        old = update<T>(at, alone,
                        [&](T x) { return combine<O, T>(x, operand); });
      }
      if (d)
        d[l] = old;
    });
  }
}

/// f16, bf16 and pairs; kParts halves in a register. noftz is the default.
template <class F, Op2 O, unsigned kParts>
void atomicHalf(Warp &w, const Insn &i, uint32_t m) {
  using R = std::conditional_t<kParts == 2, uint32_t, uint16_t>;
  alignas(64) uint64_t p[kLanes];
  unsigned vec = i.vec;
  if (!resolve(w, i, m, vec * sizeof(R), vec * sizeof(R), true, p, true))
    return;
  bool alone = isAlone(w, i);
  const emu::Op *ops = vec > 1 ? w.frame->fn->extra.data() + i.extra : nullptr;
  for (unsigned k = 0; k < vec; ++k) {
    emu::Op from = vec > 1 ? ops[vec + k] : i.s[1];
    emu::Op to = vec > 1 ? ops[k] : i.d[0];
    alignas(64) R b[kLanes];
    std::memcpy(b, src<R>(w, from), sizeof(b));
    R *d = to != kNoOp ? dst<R>(w, to) : nullptr;
    each(m, [&](unsigned l) {
      R old = update<R>(p[l] + k * sizeof(R), alone, [&](R x) {
        return static_cast<R>(HalfPair<F, O>::run(x, b[l], kParts));
      });
      if (d)
        d[l] = old;
    });
  }
}

template <class T> void compareAndSwap(Warp &w, const Insn &i, uint32_t m) {
  alignas(64) uint64_t p[kLanes];
  if (!resolve(w, i, m, sizeof(T), sizeof(T), true, p, true))
    return;
  alignas(64) T expected[kLanes], wanted[kLanes];
  std::memcpy(expected, src<T>(w, i.s[1]), sizeof(expected));
  std::memcpy(wanted, src<T>(w, i.s[2]), sizeof(wanted));
  T *d = i.d[0] == kNoOp ? nullptr : dst<T>(w, i.d[0]);
  bool alone = isAlone(w, i);
  each(m, [&](unsigned l) {
    T *at = reinterpret_cast<T *>(p[l]);
    T old = expected[l];
    if (alone) {
      old = *at;
      if (old == expected[l])
        *at = wanted[l];
    } else {
      __atomic_compare_exchange_n(at, &old, wanted[l], false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST);
    }
    if (d)
      d[l] = old;
  });
}

/// 16 bytes: cas and exch, by cmpxchg16b.
template <bool kCompare> void atomic128(Warp &w, const Insn &i, uint32_t m) {
  alignas(64) uint64_t p[kLanes];
  if (!resolve(w, i, m, 16, 16, true, p, true))
    return;
  const uint64_t *b = src<uint64_t>(w, i.s[1]);
  const uint64_t *c = kCompare ? src<uint64_t>(w, i.s[2]) : b;
  uint64_t *d = i.d[0] == kNoOp ? nullptr : dst<uint64_t>(w, i.d[0]);
  each(m, [&](unsigned l) {
    uint64_t *at = reinterpret_cast<uint64_t *>(p[l]);
    uint64_t lo = kCompare ? b[l] : at[0],
             hi = kCompare ? b[kLanes + l] : at[1];
    uint64_t newLo = c[l], newHi = c[kLanes + l];
    bool done = false;
    do { // NOLINT(bugprone-infinite-loop): the instruction sets it
      asm volatile("lock cmpxchg16b %1"
                   : "=@ccz"(done), "+m"(*reinterpret_cast<__int128 *>(at)),
                     "+a"(lo), "+d"(hi)
                   : "b"(newLo), "c"(newHi)
                   : "memory");
    } while (!done && !kCompare);
    if (d) {
      d[l] = lo;
      d[kLanes + l] = hi;
    }
  });
}

bool opOf(const InsnDesc &d, Op2 &o) {
  struct Entry {
    std::string_view name;
    Op2 op;
  };
  static constexpr Entry kNames[] = {
      {"add", Op2::Add}, {"min", Op2::Min}, {"max", Op2::Max},
      {"and", Op2::And}, {"or", Op2::Or},   {"xor", Op2::Xor},
      {"inc", Op2::Inc}, {"dec", Op2::Dec}, {"exch", Op2::Exch}};
  for (std::string_view m : *d.modifiers)
    for (const Entry &e : kNames)
      if (m == e.name) {
        o = e.op;
        return true;
      }
  return false;
}

template <class T> Handler integerFor(Op2 o) {
  switch (o) {
  case Op2::Add:
    return atomic<Op2::Add, T>;
  case Op2::Min:
    return atomic<Op2::Min, T>;
  case Op2::Max:
    return atomic<Op2::Max, T>;
  case Op2::And:
    return atomic<Op2::And, T>;
  case Op2::Or:
    return atomic<Op2::Or, T>;
  case Op2::Xor:
    return atomic<Op2::Xor, T>;
  case Op2::Inc:
    return atomic<Op2::Inc, T>;
  case Op2::Dec:
    return atomic<Op2::Dec, T>;
  case Op2::Exch:
    return atomic<Op2::Exch, T>;
  }
  return nullptr;
}

template <class F, unsigned kParts> Handler halfFor(Op2 o) {
  return o == Op2::Add   ? atomicHalf<F, Op2::Add, kParts>
         : o == Op2::Min ? atomicHalf<F, Op2::Min, kParts>
         : o == Op2::Max ? atomicHalf<F, Op2::Max, kParts>
                         : Handler(nullptr);
}

Handler selectCas(unsigned bytes) {
  switch (bytes) {
  case 2:
    return compareAndSwap<uint16_t>;
  case 4:
    return compareAndSwap<uint32_t>;
  case 8:
    return compareAndSwap<uint64_t>;
  case 16:
    return atomic128<true>;
  default:
    return nullptr;
  }
}

} // namespace

Handler selectAtomic(const InsnDesc &d) {
  if (d.opcode != "atom" && d.opcode != "red")
    return nullptr;
  Type t = d.type();
  if (d.has("cas"))
    return selectCas(sizeOf(t));
  Op2 o;
  if (!opOf(d, o))
    return nullptr;
  switch (t) {
  case Type::B128:
    return o == Op2::Exch ? atomic128<false> : Handler(nullptr);
  case Type::B32:
  case Type::U32:
    return integerFor<uint32_t>(o);
  case Type::S32:
    return integerFor<int32_t>(o);
  case Type::B64:
  case Type::U64:
    return integerFor<uint64_t>(o);
  case Type::S64:
    return integerFor<int64_t>(o);
  case Type::B16:
    return o == Op2::Exch ? atomic<Op2::Exch, uint16_t> : Handler(nullptr);
  case Type::F32:
    return o == Op2::Add    ? atomic<Op2::Add, float>
           : o == Op2::Exch ? atomic<Op2::Exch, float>
                            : Handler(nullptr);
  case Type::F64:
    return o == Op2::Add    ? atomic<Op2::Add, double>
           : o == Op2::Exch ? atomic<Op2::Exch, double>
                            : Handler(nullptr);
  case Type::F16:
    return halfFor<HalfFormat, 1>(o);
  case Type::F16x2:
    return halfFor<HalfFormat, 2>(o);
  case Type::BF16:
    return halfFor<BFloatFormat, 1>(o);
  case Type::BF16x2:
    return halfFor<BFloatFormat, 2>(o);
  default:
    return nullptr;
  }
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
