//===- ExecVideo.cpp - vadd4 and its like ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, section 9.7.17: elements are extended, combined without
// wrapping, then clamped (.sat) or cut.
//
//===----------------------------------------------------------------------===//

#include "emulator/exec/ExecCommon.h"

#include <algorithm>

namespace gpulto::emu::GPULTO_EMU_ISA {

namespace {

inline int32_t combineElements(unsigned op, unsigned compare, int32_t a,
                               int32_t b) {
  switch (op) {
  case kVideoAdd:
    return a + b;
  case kVideoSub:
    return a - b;
  case kVideoAverage: // Rounded away from zero when positive.
    return (a + b + (a + b >= 0)) >> 1;
  case kVideoDifference:
    return a > b ? a - b : b - a;
  case kVideoMin:
    return std::min(a, b);
  case kVideoMax:
    return std::max(a, b);
  default:
    break;
  }
  switch (compare) {
  case kEqual:
    return a == b;
  case kNotEqual:
    return a != b;
  case kLess:
    return a < b;
  case kLessEqual:
    return a <= b;
  case kGreater:
    return a > b;
  default:
    return a >= b;
  }
}

template <unsigned kOp, unsigned kBits>
void video(Warp &w, const Insn &i, uint32_t m) {
  constexpr uint32_t kMask = (1u << kBits) - 1;
  const unsigned mode = i.mode, compare = i.mode2;
  auto extend = [](uint32_t v, unsigned at, bool isSigned) {
    return isSigned
               ? static_cast<int32_t>(v << (32 - kBits - at)) >> (32 - kBits)
               : static_cast<int32_t>(v >> at & kMask);
  };
  bool isSignedD = mode & kVideoSignedD;
  int32_t low = isSignedD ? -(1 << (kBits - 1)) : 0;
  int32_t high = isSignedD ? (1 << (kBits - 1)) - 1 : static_cast<int>(kMask);
  mapEach(
      m, dst<uint32_t>(w, i.d[0]),
      [&](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t d = 0, sum = c;
        for (unsigned at = 0; at < 32; at += kBits) {
          int32_t t =
              combineElements(kOp, compare, extend(a, at, mode & kVideoSignedA),
                              extend(b, at, mode & kVideoSignedB));
          if (mode & kVideoSaturate)
            t = std::clamp(t, low, high);
          sum += static_cast<uint32_t>(t);
          d |= (static_cast<uint32_t>(t) & kMask) << at;
        }
        return mode & kVideoAccumulate ? sum : d;
      },
      src<uint32_t>(w, i.s[0]), src<uint32_t>(w, i.s[1]),
      src<uint32_t>(w, i.s[2]));
}

template <unsigned kOp> Handler byWidth(const InsnDesc &d) {
  return d.opcode.back() == '4' ? video<kOp, 8> : video<kOp, 16>;
}

} // namespace

Handler selectVideo(const InsnDesc &d) {
  unsigned op = 0;
  if (!isVideo(d.opcode, op))
    return nullptr;
  switch (op) {
  case kVideoAdd:
    return byWidth<kVideoAdd>(d);
  case kVideoSub:
    return byWidth<kVideoSub>(d);
  case kVideoAverage:
    return byWidth<kVideoAverage>(d);
  case kVideoDifference:
    return byWidth<kVideoDifference>(d);
  case kVideoMin:
    return byWidth<kVideoMin>(d);
  case kVideoMax:
    return byWidth<kVideoMax>(d);
  default:
    return byWidth<kVideoSet>(d);
  }
}

} // namespace gpulto::emu::GPULTO_EMU_ISA
