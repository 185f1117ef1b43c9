//===- ValueExtentsAnalyze.cpp - Bounds that the host knows (LGEN) --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: bound what threads compute by what the launch is given.
//
//   i = blockIdx.x * blockDim.x + threadIdx.x;
//   if (i < n) ... a[2 * i + 1]       i in [0, n - 1], the index in [1, 2n - 1]
//                                     if gridDim.x * blockDim.x is below 2^31
//
// Values are taken as signed; bounds are sums over the integers that do not
// wrap, and hold if no premise is negative:
//
// 1. Arguments: themselves, if they are not negative (a premise). Indices of
//    threads and blocks: from 0 to below the dimension.
// 2. operation: arithmetic on bounds. Where the instruction may wrap (no nsw),
//    that the bounds fit its type is a premise. Values that are poison lead to
//    undefined behaviour where an address or a branch depends on them, so nsw,
//    nneg and ranges hold; nothing is concluded through freeze, which ends
//    that.
// 3. refine: conditions on all ways to the place
//    (ipa/addresses/ValueConditionsAnalyze.cpp).
// 4. phi: what comes into a loop bounds its counters if it does so again after
//    a round (holdsInLoop), by induction over the rounds: the first guess is
//    what the conditions at the ends say. So no number of rounds is needed, and
//    it does not matter by what the counter grows.
//
// The steps are bounded (kMaxSteps for one pointer).
//
// Source: W. Blume, R. Eigenmann, "Symbolic Range Propagation", IPPS 1995;
// bounds from conditions as in LLVM's LazyValueInfo. Why not ScalarEvolution:
// it dissolves the values that conditions are about, and bounds no loop whose
// step is a number of threads.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/PointerAccesses.h"
#include "ipa/addresses/MaybeSum.h"
#include "ipa/addresses/ValueExtents.h"
#include "ipa/runtime/GeometryReads.h"
#include "summary/JumpFunction.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gpulto {

static constexpr unsigned kMaxDepth = 24;
/// Values looked at for one pointer.
static constexpr unsigned kMaxSteps = 4096;
static constexpr size_t kMaxPremises = 12;
static constexpr unsigned kMaxBits = 64;

//===----------------------------------------------------------------------===//
// Sums that may not be known
//===----------------------------------------------------------------------===//

/// Makes the host test that \p sum is not negative, unless that is known.
/// Returns false if it is known to be, or not known at all.
bool ValueExtents::demand(const MaybeSum &sum) {
  if (!sum)
    return false;
  if (isNeverNegative(sum))
    return true;
  // Something must be able to make up for what is negative.
  if (none_of(sum->terms,
              [](const LaunchTerm &term) { return term.coefficient > 0; }))
    return false;
  demands.push_back(*sum);
  return true;
}

MaybeSum ValueExtents::upperOf(const MaybeSum &a, const MaybeSum &b) {
  if (!a || !b)
    return std::nullopt;
  if (isNeverNegative(minus(b, a)))
    return b;
  if (isNeverNegative(minus(a, b)))
    return a;
  // A constant and what the host knows: mostly a size is not that small.
  if (constantOf(*a) && demand(minus(b, a)))
    return b;
  if (constantOf(*b) && demand(minus(a, b)))
    return a;
  return std::nullopt;
}

MaybeSum ValueExtents::lowerOf(const MaybeSum &a, const MaybeSum &b) {
  if (!a || !b)
    return std::nullopt;
  if (isNeverNegative(minus(b, a)))
    return a;
  if (isNeverNegative(minus(a, b)))
    return b;
  if (constantOf(*a) && demand(minus(b, a)))
    return a;
  if (constantOf(*b) && demand(minus(a, b)))
    return b;
  if (isNeverNegative(a) && isNeverNegative(b))
    return launchConstant(0);
  return std::nullopt;
}

ValueExtent ValueExtents::unite(const ValueExtent &a, const ValueExtent &b) {
  return {lowerOf(a.low, b.low), upperOf(a.high, b.high)};
}

/// Returns \p extent of what an instruction of \p width bits computes over the
/// integers, as bounds of its result: it must not wrap.
ValueExtent ValueExtents::fitting(ValueExtent extent, unsigned width) {
  if (!extent.low || !extent.high)
    return {};
  int64_t most = APInt::getSignedMaxValue(width).getSExtValue();
  int64_t least = APInt::getSignedMinValue(width).getSExtValue();
  auto isOneArgument = [&](const LaunchSum &sum) {
    // At most an argument, which fits, and less than nothing.
    return all_of(sum.terms,
                  [&](const LaunchTerm &term) {
                    return term.factors.empty()
                               ? term.coefficient <= 0
                               : term.coefficient == 1 &&
                                     term.factors.size() == 1 &&
                                     term.factors.front().bitWidth <= width;
                  }) &&
           sum.terms.size() <= 2 &&
           count_if(sum.terms, [](const LaunchTerm &term) {
             return !term.factors.empty();
           }) <= 1;
  };
  bool fitsAbove = isOneArgument(*extent.high) ||
                   demand(minus(launchConstant(most), extent.high));
  bool fitsBelow = isNeverNegative(extent.low) ||
                   demand(minus(extent.low, launchConstant(least)));
  return fitsAbove && fitsBelow ? extent : ValueExtent();
}

std::optional<std::vector<LaunchSum>> ValueExtents::premises() const {
  // One that is another plus what is never negative goes without saying. That
  // arguments are not negative is what this relies on.
  std::vector<LaunchSum> needed;
  for (size_t i = 0; i < demands.size(); ++i) {
    auto implies = [&](size_t j) {
      MaybeSum rest = subtractSums(demands[i], demands[j]);
      return i != j && isNeverNegative(rest) && (!rest->terms.empty() || j < i);
    };
    if (none_of(seq<size_t>(0, demands.size()), implies))
      needed.push_back(demands[i]);
  }
  if (needed.size() > kMaxPremises || symbols.size() > kMaxPremises)
    return std::nullopt;
  for (const LaunchValue &symbol : symbols)
    needed.push_back(launchSymbol(symbol));
  return needed;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

ValueExtents::ValueExtents(Function &kernel, const DominatorTree &dominators)
    : dominators(dominators), layout(kernel.getParent()->getDataLayout()) {
  for (Argument &argument : kernel.args()) {
    if (!argument.hasByValAttr())
      continue;
    PartLoads loads = loadsOfParts(argument, layout);
    uint64_t size = layout.getTypeAllocSize(argument.getParamByValType());
    for (auto [load, offset] : loads.loads)
      if (std::optional<PartOffset> place = PartOffset::of(offset);
          place && loads.isReadOnly && load->getType()->isIntegerTy() &&
          offset + layout.getTypeStoreSize(load->getType()) <= size)
        parts[load] = {
            false, argument.getArgNo(), true, *place,
            static_cast<uint16_t>(load->getType()->getIntegerBitWidth())};
  }
}

/// Returns the bounds of \p value that LLVM knows, if they are of any use.
static ValueExtent constantExtent(const Value &value) {
  constexpr int64_t kLarge = 1 << 30;
  ConstantRange range =
      computeConstantRange(&value, /*ForSigned=*/true, /*UseInstrInfo=*/true);
  ValueExtent extent;
  if (range.isEmptySet())
    return extent;
  int64_t low = range.getSignedMin().getSExtValue();
  int64_t high = range.getSignedMax().getSExtValue();
  unsigned width = value.getType()->getIntegerBitWidth();
  if (low > -kLarge && !APInt(width, low, true).isMinSignedValue())
    extent.low = launchConstant(low);
  if (high < kLarge && !APInt(width, high, true).isMaxSignedValue())
    extent.high = launchConstant(high);
  return extent;
}

ValueExtent ValueExtents::at(const Value &value, const BasicBlock &block) {
  return find(value, {&block, nullptr}, 0);
}

ValueExtent ValueExtents::find(const Value &value, Place place,
                               unsigned depth) {
  if (!value.getType()->isIntegerTy() ||
      value.getType()->getIntegerBitWidth() > kMaxBits || depth > kMaxDepth ||
      ++steps > kMaxSteps)
    return {};
  ValueExtent extent = structure(value, place, depth);
  ValueExtent known = constantExtent(value);
  if (!extent.low)
    extent.low = known.low;
  if (!extent.high)
    extent.high = known.high;
  // What the host knows exactly no condition says better.
  if (areEqual(extent.low, extent.high) || is_contained(refining, &value))
    return extent;
  refining.push_back(&value);
  refine(extent, value, place, depth);
  refining.pop_back();
  return extent;
}

/// Returns the extent of \p value, which the host knows.
ValueExtent ValueExtents::symbol(const LaunchValue &value) {
  constexpr unsigned kWidths[] = {32, 64};
  if (!is_contained(kWidths, value.bitWidth))
    return {};
  if (!value.isGeometry)
    symbols.insert(value);
  LaunchSum sum = launchSymbol(value);
  return {sum, sum};
}

ValueExtent ValueExtents::structure(const Value &value, Place place,
                                    unsigned depth) {
  if (auto *integer = dyn_cast<ConstantInt>(&value)) {
    LaunchSum sum = launchConstant(integer->getSExtValue());
    return {sum, sum};
  }
  if (auto *argument = dyn_cast<Argument>(&value))
    return symbol(
        {false, argument->getArgNo(), false, 0,
         static_cast<uint16_t>(argument->getType()->getIntegerBitWidth())});
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return {};
  if (auto part = parts.find(instruction); part != parts.end())
    return symbol(part->second);
  if (auto *phiNode = dyn_cast<PHINode>(instruction))
    return phi(*phiNode, depth);
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(instruction))
    return call(*intrinsic, place, depth);
  return operation(*instruction, place, depth);
}

ValueExtent ValueExtents::call(const IntrinsicInst &call, Place place,
                               unsigned depth) {
  if (std::optional<GeometryRead> read = geometryRead(call.getIntrinsicID())) {
    ValueExtent size = symbol({true, read->component, false, 0, 32});
    return read->isIndex ? ValueExtent{launchConstant(0), plus(size.high, -1)}
                         : size;
  }
  Intrinsic::ID id = call.getIntrinsicID();
  bool isUnsigned = id == Intrinsic::umin || id == Intrinsic::umax;
  bool isMin = id == Intrinsic::umin || id == Intrinsic::smin;
  if (!isUnsigned && !isMin && id != Intrinsic::smax)
    return {};
  ValueExtent a = find(*call.getArgOperand(0), place, depth + 1);
  ValueExtent b = find(*call.getArgOperand(1), place, depth + 1);
  if (isUnsigned && (!isNeverNegative(a.low) || !isNeverNegative(b.low)))
    return {};
  // Each operand bounds the result at one end; both do at the other.
  auto eitherOf = [&](const MaybeSum &x, const MaybeSum &y, bool wantsLess) {
    if (!x || !y)
      return x ? x : y;
    MaybeSum difference = minus(x, y);
    if (isNeverNegative(difference))
      return wantsLess ? y : x;
    if (isNeverNegative(times(difference, -1)))
      return wantsLess ? x : y;
    return isNeverNegative(y) ? y : x;
  };
  return isMin ? ValueExtent{lowerOf(a.low, b.low),
                             eitherOf(a.high, b.high, true)}
               : ValueExtent{eitherOf(a.low, b.low, false),
                             upperOf(a.high, b.high)};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static ValueExtent product(const ValueExtent &a, const ValueExtent &b) {
  if (isNeverNegative(a.low) && isNeverNegative(b.low))
    return {times(a.low, b.low), times(a.high, b.high)};
  // One factor is one number.
  for (const auto &[number, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!areEqual(number->low, number->high))
      continue;
    if (isNeverNegative(number->low))
      return {times(number->low, other->low), times(number->low, other->high)};
    if (isNeverNegative(times(number->low, -1)))
      return {times(number->low, other->high), times(number->low, other->low)};
  }
  return {};
}

/// Returns bounds of a quotient or remainder, of \p a by \p b.
static ValueExtent division(unsigned opcode, const ValueExtent &a,
                            const ValueExtent &b) {
  bool isNatural = isNeverNegative(a.low);
  LaunchSum zero = launchConstant(0);
  switch (opcode) {
  case Instruction::LShr:
  case Instruction::AShr:
    return isNatural ? ValueExtent{zero, a.high} : ValueExtent();
  case Instruction::UDiv:
  case Instruction::SDiv: {
    if (!isNatural || !isNeverNegative(b.low))
      return {};
    std::optional<int64_t> most = constantIn(a.high), least = constantIn(b.low);
    if (most && least && *least > 0)
      return {zero, launchConstant(*most / *least)};
    return {zero, a.high};
  }
  case Instruction::URem:
  case Instruction::SRem:
    // By 0 is undefined. An unsigned remainder may be of anything.
    if (!isNeverNegative(b.low) || (opcode == Instruction::SRem && !isNatural))
      return {};
    if (b.high)
      return {zero, plus(b.high, -1)};
    return {zero, isNatural ? a.high : std::nullopt};
  default:
    return {};
  }
}

/// Returns bounds of \p a and \p b, bit by bit.
static ValueExtent mask(const ValueExtent &a, const ValueExtent &b) {
  constexpr int64_t kSmallMask = 1 << 16;
  LaunchSum zero = launchConstant(0);
  std::optional<int64_t> bits = constantIn(b.high);
  bool isMask = isNeverNegative(b.low);
  if (isMask && bits && *bits < kSmallMask)
    return {zero, b.high};
  if (isNeverNegative(a.low) && a.high)
    return {zero, a.high};
  return isMask ? ValueExtent{zero, b.high} : ValueExtent();
}

ValueExtent ValueExtents::extension(const Instruction &operation, Place place,
                                    unsigned depth) {
  const Value &operand = *operation.getOperand(0);
  if (!operand.getType()->isIntegerTy() || operand.getType()->isIntegerTy(1))
    return {};
  ValueExtent extent = find(operand, place, depth + 1);
  unsigned width = operand.getType()->getIntegerBitWidth();
  constexpr unsigned kShort = 16;
  switch (operation.getOpcode()) {
  case Instruction::SExt:
    return extent;
  case Instruction::Trunc:
    return fitting(extent, operation.getType()->getIntegerBitWidth());
  default:
    break;
  }
  // Not negative, so the bits mean the same.
  if (cast<PossiblyNonNegInst>(operation).hasNonNeg()) {
    if (!isNeverNegative(extent.low))
      extent.low = launchConstant(0);
    return extent;
  }
  if (width <= kShort && (!isNeverNegative(extent.low) || !extent.high))
    return {launchConstant(0), launchConstant((1 << width) - 1)};
  return demand(extent.low) ? extent : ValueExtent();
}

ValueExtent ValueExtents::operation(const Instruction &operation, Place place,
                                    unsigned depth) {
  if (isa<SExtInst, ZExtInst, TruncInst>(operation))
    return extension(operation, place, depth);
  unsigned opcode = operation.getOpcode();
  if (auto *select = dyn_cast<SelectInst>(&operation))
    return unite(find(*select->getTrueValue(), place, depth + 1),
                 find(*select->getFalseValue(), place, depth + 1));
  if (!isa<BinaryOperator>(operation))
    return {};
  ValueExtent a = find(*operation.getOperand(0), place, depth + 1);
  ValueExtent b = find(*operation.getOperand(1), place, depth + 1);
  unsigned width = operation.getType()->getIntegerBitWidth();
  auto unlessWrapping = [&](const ValueExtent &extent) {
    auto *wrapping = dyn_cast<OverflowingBinaryOperator>(&operation);
    return wrapping && wrapping->hasNoSignedWrap() ? extent
                                                   : fitting(extent, width);
  };
  switch (opcode) {
  case Instruction::Add:
    return unlessWrapping({plus(a.low, b.low), plus(a.high, b.high)});
  case Instruction::Sub:
    return unlessWrapping({minus(a.low, b.high), minus(a.high, b.low)});
  case Instruction::Mul:
    return unlessWrapping(product(a, b));
  case Instruction::Shl: {
    std::optional<int64_t> bits = constantIn(b.low);
    if (!bits || !areEqual(b.low, b.high) || *bits < 0 || *bits >= width - 1)
      return {};
    LaunchSum factor = launchConstant(int64_t(1) << *bits);
    return unlessWrapping(product(a, {factor, factor}));
  }
  case Instruction::Or:
    // No carry, so it is a sum that does not wrap.
    if (cast<PossiblyDisjointInst>(operation).isDisjoint())
      return {plus(a.low, b.low), plus(a.high, b.high)};
    return {};
  case Instruction::And:
    return mask(a, b);
  default:
    return division(opcode, a, b);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Returns what comes into \p phi from its loop, or from elsewhere.
ValueExtent ValueExtents::incoming(const PHINode &phi, bool fromLoop,
                                   unsigned depth) {
  std::optional<ValueExtent> all;
  const BasicBlock &block = *phi.getParent();
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const BasicBlock &from = *phi.getIncomingBlock(i);
    if (dominators.dominates(&block, &from) != fromLoop)
      continue;
    ValueExtent one =
        find(*phi.getIncomingValue(i), {&from, &block}, depth + 1);
    all = all ? unite(*all, one) : one;
  }
  return all.value_or(ValueExtent());
}

/// Whether \p phi stays within \p guess if it was until now. Ends that do not
/// hold are taken off \p guess.
bool ValueExtents::holdsInLoop(const PHINode &phi, ValueExtent &guess,
                               unsigned depth) {
  assumed[&phi] = guess;
  ValueExtent next = incoming(phi, /*fromLoop=*/true, depth);
  assumed.erase(&phi);
  bool holdsBelow = !guess.low || demand(minus(next.low, guess.low));
  bool holdsAbove = !guess.high || demand(minus(guess.high, next.high));
  if (!holdsBelow)
    guess.low = std::nullopt;
  else if (!holdsAbove)
    guess.high = std::nullopt;
  return holdsBelow && holdsAbove;
}

ValueExtent ValueExtents::phi(const PHINode &phi, unsigned depth) {
  if (auto known = assumed.find(&phi); known != assumed.end())
    return known->second;
  ValueExtent entry = incoming(phi, /*fromLoop=*/false, depth);
  bool hasLoop = any_of(phi.blocks(), [&](const BasicBlock *from) {
    return dominators.dominates(phi.getParent(), from);
  });
  if (!hasLoop)
    return entry;
  if (!entry.low && !entry.high)
    return {};
  std::vector<LaunchSum> before = demands;
  bool wasGuessing = std::exchange(isGuessing, true);
  assumed[&phi] = {};
  ValueExtent next = incoming(phi, /*fromLoop=*/true, depth);
  assumed.erase(&phi);
  isGuessing = false;
  demands = before;
  // Without a bound from the loop's end, the counter goes away from it.
  ValueExtent guess{next.low ? lowerOf(entry.low, next.low) : entry.low,
                    next.high ? upperOf(entry.high, next.high) : entry.high};
  std::vector<LaunchSum> guessed = demands;
  bool holds = false;
  constexpr unsigned kEnds = 2;
  for (unsigned i = 0; i <= kEnds && !holds && (guess.low || guess.high); ++i) {
    demands = guessed;
    holds = holdsInLoop(phi, guess, depth);
  }
  isGuessing = wasGuessing;
  if (holds)
    return guess;
  demands = before;
  return {};
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

ValueExtent ValueExtents::offset(const Value &address,
                                 ArrayRef<Value *> origins,
                                 const BasicBlock &block) {
  LaunchSum zero = launchConstant(0);
  ValueExtent sum{zero, zero};
  const Value *pointer = &address;
  while (!is_contained(origins, pointer)) {
    if (isa<AddrSpaceCastInst, BitCastInst>(pointer)) {
      pointer = cast<Instruction>(pointer)->getOperand(0);
      continue;
    }
    auto *step = dyn_cast<GEPOperator>(pointer);
    unsigned width = layout.getIndexTypeSizeInBits(pointer->getType());
    SmallMapVector<Value *, APInt, 4> scales;
    APInt constant(width, 0);
    if (!step || width != kMaxBits ||
        !step->collectOffset(layout, width, scales, constant))
      return {};
    ValueExtent bytes{launchConstant(constant.getSExtValue()),
                      launchConstant(constant.getSExtValue())};
    for (const auto &[index, scale] : scales) {
      LaunchSum factor = launchConstant(scale.getSExtValue());
      ValueExtent part = product(at(*index, block), {factor, factor});
      bytes = {plus(bytes.low, part.low), plus(bytes.high, part.high)};
    }
    sum = {plus(sum.low, bytes.low), plus(sum.high, bytes.high)};
    pointer = step->getPointerOperand();
  }
  return sum;
}

} // namespace gpulto
