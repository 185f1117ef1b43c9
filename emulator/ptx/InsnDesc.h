//===- InsnDesc.h - The shape of an instruction, before decoding ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GPULTO_EMULATOR_PTX_INSNDESC_H
#define GPULTO_EMULATOR_PTX_INSNDESC_H

#include "emulator/ptx/Types.h"

#include <string_view>
#include <vector>

namespace gpulto::emu {

/// Opcode and modifiers, with properties of the operands.
struct InsnDesc {
  std::string_view opcode;
  const std::vector<std::string_view> *modifiers = nullptr;
  /// Types among the modifiers, in order.
  Type types[4] = {Type::None, Type::None, Type::None, Type::None};
  unsigned typeCount = 0;
  /// Bytes of the registers of the first destination and first source; they may
  /// be wider than the type for ld, st and cvt.
  unsigned destBytes = 0, sourceBytes = 0;
  /// Further hints, by opcode: kind of a mov, special register, space.
  unsigned variant = 0;
  Space space = Space::Generic;

  bool has(std::string_view modifier) const {
    for (std::string_view m : *modifiers)
      if (m == modifier)
        return true;
    return false;
  }
  Type type() const { return types[0]; }
};

/// Variants of mov.
enum MoveVariant : unsigned {
  kMovePlain,
  kMovePack, ///< {a, b, ...} into one; elements in s and extra
  kMoveUnpack,
  kMoveSpecial,    ///< A special register: Insn::mode is a SpecialReg
  kMoveFrameLocal, ///< Address of a variable in the frame's local area
  kMoveShared,     ///< Offset of a shared variable: Insn::imm
};

/// Variants of ld.
enum LoadVariant : unsigned {
  kLoadPlain,
  kKernelParameters, ///< At a known place in them
  kUsedElements,     ///< A vector of which Insn::mode elements are used
};

/// InsnDesc::variant for ExecPaired.cpp.
enum PairedVariant : unsigned {
  kPairedFirst = 100,
  kPairedArithmetic = kPairedFirst,
  kSmallEncode, ///< cvt to a format of few bits
  kSmallDecode, ///< cvt from one
};

/// Operations on an mbarrier object; Insn::mode.
enum MbarrierOp : unsigned {
  kMbarrierInit,
  kMbarrierInvalidate,
  kMbarrierExpect,   ///< expect_tx
  kMbarrierComplete, ///< complete_tx
  kMbarrierArrive,
  kMbarrierArriveExpect,
  kMbarrierDrop,
  kMbarrierDropExpect,
  kMbarrierWait,       ///< test_wait and try_wait with a state
  kMbarrierWaitParity, ///< the same with a parity
  kMbarrierPending,    ///< pending_count
  kMbarrierTouch,      ///< cp.async.mbarrier.arrive: arrives and expects one
};

/// Insn::mode of a bulk copy.
enum : uint8_t {
  kBulkFromShared = 1,
  kBulkFrom32 = 2, ///< The source address is a 32-bit register.
  kBulkBarrier32 = 4,
  kBulkHasBarrier = 8,
};

/// Insn::mode of texture and surface instructions; mode2 is the number of
/// dimensions.
enum : uint8_t {
  kImageLayered = 1,
  kImageIntegers = 2, ///< Texture: coordinates are integers.
  kImageGather = 4,   ///< tld4 of the channel in Insn::bytes.
  kImageZero = 8,     ///< Surface: what is outside is zero.
  kImageClamp = 16,   ///< Surface: coordinates are clamped.
  kImageSurface = 32,
};

/// Operations of the SIMD video instructions; InsnDesc::variant.
enum VideoOp : unsigned {
  kVideoAdd,
  kVideoSub,
  kVideoAverage,
  kVideoDifference,
  kVideoMin,
  kVideoMax,
  kVideoSet,
};

/// True for a SIMD video instruction (vadd4 and so on); \p op says which.
bool isVideo(std::string_view opcode, unsigned &op);

/// Insn::mode of a SIMD video instruction; mode2 is a VideoCompare.
enum : uint8_t {
  kVideoSignedA = 1,
  kVideoSignedB = 2,
  kVideoSignedD = 4,
  kVideoSaturate = 8,
  kVideoAccumulate = 16, ///< .add: the sum of the elements and c.
};
enum VideoCompare : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual
};

/// Insn::mode of a shuffle.
enum ShuffleMode : uint8_t {
  kShuffleUp,
  kShuffleDown,
  kShuffleButterfly,
  kShuffleIndex,
};

/// The lane whose value \p lane takes, with the operands \p b and \p c of the
/// shuffle; \p in is false where there is none and it keeps its own. PTX ISA
/// 9.0, section 9.7.9.6: c holds the segment mask in bits 8 to 12 and the clamp
/// in bits 0 to 4. Static, since it is compiled for several levels of the ISA.
static inline unsigned shuffledLane(ShuffleMode mode, unsigned lane, uint32_t b,
                                    uint32_t c, bool &in) {
  int own = static_cast<int>(lane), by = static_cast<int>(b & 31);
  int clamp = static_cast<int>(c & 31);
  int segment = static_cast<int>(c >> 8 & 31);
  int low = own & segment, high = low | (clamp & ~segment);
  int from = mode == kShuffleUp          ? own - by
             : mode == kShuffleDown      ? own + by
             : mode == kShuffleButterfly ? own ^ by
                                         : low | (by & ~segment);
  in = mode == kShuffleUp ? from >= high : from <= high;
  return static_cast<unsigned>(in ? from : own) & 31;
}

/// Special registers.
enum SpecialReg : unsigned {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kSmId,
  kNsmId,
  kGridId,
  kClock,
  kClockHi,
  kClock64,
  kGlobalTimer,
  kGlobalTimerLo,
  kGlobalTimerHi,
  kLaneMaskEq,
  kLaneMaskLe,
  kLaneMaskLt,
  kLaneMaskGe,
  kLaneMaskGt,
  kDynamicSmemSize,
  kTotalSmemSize,
  kAggrSmemSize,
  kReservedSmemBegin,
  kEnvReg1,
  kEnvReg2,
  kClusterIdX,
  kClusterIdY,
  kClusterIdZ,
  kNclusterIdX,
  kNclusterIdY,
  kNclusterIdZ,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterCtaRank,
  kClusterNctaRank,
  kIsExplicitCluster,
  kZero,
};

} // namespace gpulto::emu

#endif // GPULTO_EMULATOR_PTX_INSNDESC_H
