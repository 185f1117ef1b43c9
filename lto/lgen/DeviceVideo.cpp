//===- DeviceVideo.cpp - Arithmetic on the bytes of a word ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: replace slow video instructions. clang's headers implement __vadd4,
// __vcmpne2 and their like with these, which GPUs had up to Kepler. For later
// ones ptxas expands each to 20 to 50 instructions (CUDA 13.0), where five on
// the whole word suffice, as in nvcc's code; and as assembly they hide what is
// known of their operands.
//
// A lane is a byte or half a word. Carries are kept inside of lanes by their
// high bits H, which are computed separately; the result of each test of a
// lane, such as less-than, ends up there, and one byte permutation spreads it
// over the lane.
//
// Not replaced: sums over lanes, and unsigned differences, for which there is
// an instruction.
//
// Source: H. Warren, Hacker's Delight, 2nd edition, 2-18 (lanes), 2-12 and 2-13
// (comparisons, overflow), 2-5 (averages); PTX ISA 9.0, 9.7.18.
//
//===----------------------------------------------------------------------===//

#include "lto/lgen/DeviceBytes.h"
#include "lto/lgen/ModuleRepair.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace gpulto {

namespace {

/// A video instruction that is replaced.
struct VideoInstruction {
  StringRef name; ///< vadd
  StringRef last; ///< sat, or a comparison: lt
  unsigned width; ///< of a lane, 8 or 16
  bool isSigned;
};

/// Computes with lanes of one width.
class Lanes {
public:
  Lanes(IRBuilder<> &builder, unsigned width)
      : builder(builder), width(width) {}

  /// Returns what \p instruction makes of \p a and \p b; null: it is not
  /// replaced.
  Value *replace(const VideoInstruction &instruction, Value *a, Value *b);

private:
  Value *bits(uint32_t inLane) { // the same in all lanes
    return builder.getInt32(width == 8 ? inLane * 0x01010101U
                                       : inLane * 0x00010001U);
  }
  Value *high() { return bits(1U << (width - 1)); }
  Value *low() { return bits((1U << (width - 1)) - 1); }
  Value *one() { return bits(1); }

  Value *add(Value *a, Value *b);
  Value *subtract(Value *a, Value *b);
  Value *average(Value *a, Value *b, bool isSigned);
  Value *saturateSigned(Value *a, Value *wrapped, Value *overflow);
  Value *addSaturating(Value *a, Value *b, bool isSigned);
  Value *subtractSaturating(Value *a, Value *b, bool isSigned);
  Value *differs(Value *a, Value *b);
  Value *less(Value *a, Value *b, bool isSigned);
  Value *compare(StringRef how, Value *a, Value *b, bool isSigned);
  Value *choose(Value *isFirst, Value *first, Value *second);
  Value *absoluteDifference(Value *a, Value *b, bool isSaturating);
  Value *extreme(bool isMost, Value *a, Value *b, bool isSigned);

  IRBuilder<> &builder;
  unsigned width;
};

} // namespace

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value *Lanes::add(Value *a, Value *b) {
  Value *sum = builder.CreateAdd(builder.CreateAnd(a, low()),
                                 builder.CreateAnd(b, low()));
  return builder.CreateXor(sum,
                           builder.CreateAnd(builder.CreateXor(a, b), high()));
}

Value *Lanes::subtract(Value *a, Value *b) {
  Value *difference = builder.CreateSub(builder.CreateOr(a, high()),
                                        builder.CreateAnd(b, low()));
  Value *same = builder.CreateNot(builder.CreateXor(a, b));
  return builder.CreateXor(difference, builder.CreateAnd(same, high()));
}

/// Returns averages; what is in the middle is rounded up, of negative sums
/// down.
Value *Lanes::average(Value *a, Value *b, bool isSigned) {
  Value *different = builder.CreateXor(a, b);
  Value *half = builder.CreateAnd(builder.CreateLShr(different, 1), low());
  if (!isSigned)
    return builder.CreateSub(builder.CreateOr(a, b), half);
  // Rounded down, of numbers from 0 on.
  Value *common = builder.CreateAnd(builder.CreateXor(a, high()),
                                    builder.CreateXor(b, high()));
  Value *down = builder.CreateXor(builder.CreateAdd(common, half), high());
  Value *isPositive = builder.CreateLShr(builder.CreateNot(down), width - 1);
  return builder.CreateAdd(
      down, builder.CreateAnd(builder.CreateAnd(different, isPositive), one()));
}

/// Returns \p wrapped, but where the high bits of \p overflow are set the
/// number of \p a's sign that is farthest from zero.
Value *Lanes::saturateSigned(Value *a, Value *wrapped, Value *overflow) {
  Value *farthest =
      builder.CreateXor(createLanesOfSigns(builder, a, width), low());
  return choose(overflow, farthest, wrapped);
}

Value *Lanes::addSaturating(Value *a, Value *b, bool isSigned) {
  Value *sum = add(a, b);
  if (isSigned) {
    Value *same = builder.CreateNot(builder.CreateXor(a, b));
    return saturateSigned(a, sum,
                          builder.CreateAnd(same, builder.CreateXor(a, sum)));
  }
  Value *carry = builder.CreateOr(
      builder.CreateAnd(a, b),
      builder.CreateAnd(builder.CreateOr(a, b), builder.CreateNot(sum)));
  return builder.CreateOr(sum, createLanesOfSigns(builder, carry, width));
}

Value *Lanes::subtractSaturating(Value *a, Value *b, bool isSigned) {
  Value *difference = subtract(a, b);
  if (isSigned)
    return saturateSigned(a, difference,
                          builder.CreateAnd(builder.CreateXor(a, b),
                                            builder.CreateXor(a, difference)));
  Value *isNegative =
      createLanesOfSigns(builder, less(a, b, /*isSigned=*/false), width);
  return builder.CreateAnd(difference, builder.CreateNot(isNegative));
}

/// The high bits of the result say whether lanes differ.
Value *Lanes::differs(Value *a, Value *b) {
  Value *different = builder.CreateXor(a, b);
  Value *borrowed =
      builder.CreateSub(builder.CreateOr(different, high()), one());
  return builder.CreateOr(borrowed, different);
}

/// The high bits of the result say whether lanes of \p a are less.
Value *Lanes::less(Value *a, Value *b, bool isSigned) {
  Value *difference = subtract(a, b);
  Value *first = isSigned ? a : builder.CreateNot(a);
  Value *second = isSigned ? builder.CreateNot(b) : b;
  return builder.CreateOr(
      builder.CreateAnd(first, second),
      builder.CreateAnd(builder.CreateOr(first, second), difference));
}

/// The high bits of the result say whether \p a is \p how \p b; null: it is no
/// comparison.
Value *Lanes::compare(StringRef how, Value *a, Value *b, bool isSigned) {
  if (how == "ne")
    return differs(a, b);
  if (how == "eq")
    return builder.CreateNot(differs(a, b));
  if (how == "lt")
    return less(a, b, isSigned);
  if (how == "ge")
    return builder.CreateNot(less(a, b, isSigned));
  if (how == "gt")
    return less(b, a, isSigned);
  if (how == "le")
    return builder.CreateNot(less(b, a, isSigned));
  return nullptr;
}

/// Returns lanes of \p first where the high bits of \p isFirst are set, and of
/// \p second elsewhere.
Value *Lanes::choose(Value *isFirst, Value *first, Value *second) {
  Value *mask = createLanesOfSigns(builder, isFirst, width);
  return builder.CreateOr(builder.CreateAnd(first, mask),
                          builder.CreateAnd(second, builder.CreateNot(mask)));
}

/// Returns how far numbers with a sign are apart, as numbers without one;
/// \p isSaturating: as numbers with one, at most the largest.
Value *Lanes::absoluteDifference(Value *a, Value *b, bool isSaturating) {
  Value *isNegative =
      createLanesOfSigns(builder, less(a, b, /*isSigned=*/true), width);
  // One is added where not all bits are set, so that nothing is carried.
  Value *difference =
      builder.CreateAdd(builder.CreateXor(subtract(a, b), isNegative),
                        builder.CreateAnd(isNegative, one()));
  return isSaturating ? choose(difference, low(), difference) : difference;
}

/// Returns the greater numbers, or the smaller ones. Of halves of a word there
/// is an instruction from sm_90 on.
Value *Lanes::extreme(bool isMost, Value *a, Value *b, bool isSigned) {
  if (width == 8)
    return choose(less(a, b, isSigned), isMost ? b : a, isMost ? a : b);
  Type *halves = FixedVectorType::get(builder.getInt16Ty(), /*NumElts=*/2);
  Intrinsic::ID most = isSigned ? Intrinsic::smax : Intrinsic::umax;
  Intrinsic::ID least = isSigned ? Intrinsic::smin : Intrinsic::umin;
  Value *result = builder.CreateBinaryIntrinsic(
      isMost ? most : least, builder.CreateBitCast(a, halves),
      builder.CreateBitCast(b, halves));
  return builder.CreateBitCast(result, builder.getInt32Ty());
}

Value *Lanes::replace(const VideoInstruction &instruction, Value *a, Value *b) {
  auto [name, last, _, isSigned] = instruction;
  bool isSaturating = last == "sat";
  if (name == "vset") {
    Value *flags = compare(last, a, b, isSigned);
    return flags
               ? builder.CreateAnd(builder.CreateLShr(flags, width - 1), one())
               : nullptr;
  }
  if (!last.empty() && !isSaturating)
    return nullptr;
  if (name == "vadd")
    return isSaturating ? addSaturating(a, b, isSigned) : add(a, b);
  if (name == "vsub")
    return isSaturating ? subtractSaturating(a, b, isSigned) : subtract(a, b);
  if (name == "vabsdiff" && isSigned)
    return absoluteDifference(a, b, isSaturating);
  if (isSaturating)
    return nullptr;
  if (name == "vavrg")
    return average(a, b, isSigned);
  if (name == "vmin" || name == "vmax")
    return extreme(name == "vmax", a, b, isSigned);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

/// Takes apart \p text, as `vadd4.u32.u32.u32.sat $0,$1,$2,$3;` of all lanes
/// and one type.
static std::optional<VideoInstruction> parseVideo(StringRef text) {
  auto [opcode, operands] = text.trim().split(' ');
  if (operands.trim() != "$0,$1,$2,$3;")
    return std::nullopt;
  SmallVector<StringRef, 5> parts;
  opcode.split(parts, '.');
  StringRef name = parts.front();
  VideoInstruction found;
  found.name = name.drop_back();
  found.width = name.ends_with("4") ? 8 : name.ends_with("2") ? 16 : 0;
  // A comparison has no type of its own.
  size_t types = found.name == "vset" ? 2 : 3;
  if (!found.width || parts.size() < types + 1 || parts.size() > types + 2)
    return std::nullopt;
  for (size_t i = 2; i <= types; ++i)
    if (parts[i] != parts[1])
      return std::nullopt;
  found.isSigned = parts[1] == "s32";
  if (!found.isSigned && parts[1] != "u32")
    return std::nullopt;
  if (parts.size() == types + 2)
    found.last = parts.back();
  return found;
}

bool replaceVideoInstructions(Module &module) {
  SmallVector<CallBase *> replaced;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      auto *assembly =
          call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
      auto isWord = [](const Value *v) {
        return v->getType()->isIntegerTy(32);
      };
      if (!assembly || assembly->hasSideEffects() ||
          !call->doesNotAccessMemory() || call->arg_size() != 3 ||
          !isWord(call) || !all_of(call->args(), isWord) ||
          !match(call->getArgOperand(2), m_Zero()))
        continue;
      std::optional<VideoInstruction> video =
          parseVideo(assembly->getAsmString());
      if (!video)
        continue;
      IRBuilder<> builder(call);
      Value *result =
          Lanes(builder, video->width)
              .replace(*video, call->getArgOperand(0), call->getArgOperand(1));
      if (!result)
        continue;
      call->replaceAllUsesWith(result);
      replaced.push_back(call);
    }
  for (CallBase *call : replaced)
    call->eraseFromParent();
  return !replaced.empty();
}

} // namespace gpulto
