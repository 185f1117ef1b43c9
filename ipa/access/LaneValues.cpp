//===- LaneValues.cpp - What the lanes of a warp compute ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: each index and condition of a kernel as a sum with a factor for each
// lane (LaneSum), for the warps of one class of a known block.
//
// 1. ofGeometry: indices of threads are numbers for each lane, plus the first
//    thread of the warp; those of blocks are unknown, the same in all lanes.
// 2. Arithmetic is LaneArithmetic's. What is neither arithmetic nor known, but
//    depends on uniform values only, is a new unknown number.
// 3. ofRounds: a variable of a loop is its start plus rounds times its step, as
//    ScalarEvolution finds it; ofJoin: other phis are sums of the incoming
//    values by the conditions of the ways that lead there, up to
//    kMostRegionBlocks blocks.
// 4. at: a value that leaves a loop at which lanes part is not known any more.
//
// Values that depend on what lanes load from different addresses are irregular:
// the data decides.
//
// Source: R. Alur, J. Devietti, O. Navarro Leija, N. Singhania, "GPUDrano:
// Detecting Uncoalesced Accesses in GPU Programs", CAV 2017, which knows of a
// value whether it is 0, 1 or -1 times the thread's index plus a uniform
// number.
//
//===----------------------------------------------------------------------===//

#include "ipa/access/LaneValues.h"

#include "ipa/runtime/GeometryLimits.h"
#include "ipa/runtime/GeometryReads.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Support/NVPTXAddrSpace.h"

#include <map>
#include <numeric>

using namespace llvm;

namespace gpulto {

/// Blocks between a branch and the phi that joins its ways.
static constexpr size_t kMostRegionBlocks = 24;
/// Conditions of one block.
static constexpr size_t kMostMasks = 6;
/// Calls that are followed for one class of warps.
static constexpr unsigned kMostBodies = 64;
static constexpr unsigned kWordBits = 64;

std::vector<WarpClass> warpClassesOf(const std::array<uint32_t, 3> &block,
                                     bool apart) {
  std::vector<WarpClass> classes;
  std::map<std::pair<std::array<Lanes, 3>, unsigned>, size_t> found;
  uint32_t threads = block[0] * block[1] * block[2];
  for (uint32_t first = 0; first < threads; first += kWarpLanes) {
    unsigned lanes = std::min(threads - first, kWarpLanes);
    std::array<Lanes, 3> offsets;
    std::array<int64_t, 3> origins;
    for (unsigned l = 0; l < kWarpLanes; ++l) {
      uint32_t thread = first + std::min(l, lanes - 1);
      int64_t index[] = {thread % block[0], thread / block[0] % block[1],
                         thread / (block[0] * block[1])};
      for (unsigned axis = 0; axis < 3; ++axis) {
        if (l == 0)
          origins[axis] = index[axis];
        offsets[axis][l] = index[axis] - origins[axis];
      }
    }
    auto [place, isNew] = found.try_emplace({offsets, lanes}, classes.size());
    if (isNew || apart) {
      place->second = classes.size();
      classes.emplace_back();
      classes.back().lanes = lanes;
    }
    WarpClass &warps = classes[place->second];
    for (unsigned axis = 0; axis < 3; ++axis) {
      warps.axes[axis].offsets = offsets[axis];
      warps.axes[axis].origins.push_back(origins[axis]);
    }
  }
  return classes;
}

/// Returns the first thread of the warps along \p axis: a number, or a symbol.
static LaneSum originOf(const WarpClass::Axis &axis, LaneSymbols &symbols) {
  auto [low, high] =
      std::minmax_element(axis.origins.begin(), axis.origins.end());
  uint64_t step = 0;
  for (int64_t origin : axis.origins)
    step = std::gcd(step, static_cast<uint64_t>(origin - *low));
  return symbols.addCounter({*low, *high}, step ? Congruence{step, *low % step}
                                                : Congruence());
}

/// Grids are taken to have at most 2^31 threads along an axis.
static uint32_t mostBlocks(const LaunchShape &shape, unsigned axis) {
  constexpr uint32_t kMostThreads = INT32_MAX;
  return std::max(shape.grid[axis].low,
                  std::min({shape.grid[axis].high, kGeometryLimits[axis],
                            kMostThreads / shape.block[axis]}));
}

WarpContext::WarpContext(const LaunchShape &shape,
                         ArrayRef<CountingParameter> counting,
                         const WarpClass &warps, Analyses analyses)
    : shape(shape), counting(counting), analyses(analyses),
      arithmetic(symbols) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    LaneSum origin = originOf(warps.axes[axis], symbols);
    threads[axis] =
        LaneValue::exact(*origin.plus(LaneSum(warps.axes[axis].offsets)));
  }
  symbols.endWarpSymbols();
  for (unsigned axis = 0; axis < 3; ++axis)
    blocks[axis] = symbols.addBlock({0, int64_t(mostBlocks(shape, axis)) - 1});
}

LaneValues::LaneValues(const Function &kernel, WarpContext &context)
    : function(kernel), context(context), table(context.symbols),
      arithmetic(context.arithmetic), analyses(context.analyses(kernel)) {
  orderBlocks();
}

LaneValues::LaneValues(const CallBase &call, LaneValues &caller)
    : function(*call.getCalledFunction()), context(caller.context),
      table(context.symbols), arithmetic(context.arithmetic),
      analyses(context.analyses(function)), caller(&caller),
      outer(caller.loopAt(call)),
      outerDepth(caller.loopDepth(*call.getParent())),
      entryMasks(caller.masksOf(*call.getParent())) {
  orderBlocks();
  for (auto [argument, value] : zip(function.args(), call.args()))
    known[&argument] = caller.at(*value, *call.getParent());
}

void LaneValues::orderBlocks() {
  unsigned number = 0;
  for (const BasicBlock *block :
       ReversePostOrderTraversal<const Function *>(&function))
    order[block] = number++;
  known.reserve(function.getInstructionCount());
}

/// Returns the innermost loop around \p value, which may be a caller's.
const Loop *LaneValues::loopAt(const Value &value) const {
  const auto *instruction = dyn_cast<Instruction>(&value);
  const Loop *loop = instruction
                         ? analyses.loops.getLoopFor(instruction->getParent())
                         : nullptr;
  return loop ? loop : outer;
}

unsigned LaneValues::loopDepth(const BasicBlock &block) const {
  return outerDepth + analyses.loops.getLoopDepth(&block);
}

LaneValues *LaneValues::bodyOf(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isDeclaration() || callee->isInterposable() ||
      callee->getFunctionType() != call.getFunctionType() || callee->isVarArg())
    return nullptr;
  auto [place, isNew] = callees.try_emplace(&call);
  if (!isNew)
    return place->second.get();
  if (openTrials)
    newCalls.push_back(&call);
  for (const LaneValues *body = this; body; body = body->caller)
    if (&body->function == callee)
      return nullptr;
  if (context.bodies == kMostBodies)
    return nullptr;
  ++context.bodies;
  std::unique_ptr<LaneValues> made(new LaneValues(call, *this));
  return (callees[&call] = std::move(made)).get();
}

unsigned LaneValues::widthOf(const Value &value) const {
  const DataLayout &layout = function.getDataLayout();
  Type *type = value.getType();
  if (type->isPointerTy())
    return layout.getPointerTypeSizeInBits(type);
  return type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
}

bool LaneValues::areUniform(const LaneValue &value) const {
  return value.isSum() && table.isUniform(value.sum);
}

//===----------------------------------------------------------------------===//
// Where values are used
//===----------------------------------------------------------------------===//

/// Whether lanes go from \p branch, which leaves a loop, in rounds that are one
/// apart at most: a round adds more to a counter than it is from lane to lane.
bool LaneValues::areNearly(const BranchInst &branch, const LaneSum &round) {
  const auto *compared = dyn_cast<ICmpInst>(branch.getCondition());
  if (!compared)
    return false;
  LaneValue a = at(*compared->getOperand(0), *branch.getParent()),
            b = at(*compared->getOperand(1), *branch.getParent());
  std::optional<LaneSum> apart =
      a.isSum() && b.isSum() ? a.sum.minus(b.sum) : std::nullopt;
  std::optional<LaneNumbers> lanes =
      apart ? table.split(*apart).second.numbers() : std::nullopt;
  if (!lanes)
    return false;
  return any_of(apart->terms(), [&](const LaneSum::Term &term) {
    return !round.terms().empty() &&
           term.product == round.terms().front().product &&
           std::abs(term.factor[0]) > lanes->span();
  });
}

LaneValues::Leaving LaneValues::leavingOf(const Loop &loop) {
  auto [place, isNew] = leaving.try_emplace(&loop, Leaving::Apart);
  if (!isNew)
    return place->second;
  if (openTrials)
    newLoops.push_back(&loop);
  SmallVector<BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  bool areTogether = true, areNear = true, isByData = false;
  for (const BasicBlock *block : exiting) {
    const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional()) {
      areTogether = areNear = false;
      continue;
    }
    LaneValue condition = at(*branch->getCondition(), *block);
    if (areUniform(condition))
      continue;
    areTogether = false;
    isByData |= condition.kind == LaneValue::Kind::Irregular;
    areNear = areNear && areNearly(*branch, roundsOf(loop));
  }
  Leaving result = Leaving::Apart;
  if (areTogether)
    result = Leaving::Together;
  else if (areNear || roundsOf(loop).terms().empty()) // or one round
    result = Leaving::Nearly;
  else if (isByData)
    result = Leaving::ByData;
  return leaving[&loop] = result;
}

/// Whether \p number and zero are as \p predicate says.
static bool isAsSaid(CmpInst::Predicate predicate, int64_t number) {
  switch (CmpInst::isUnsigned(predicate)
              ? ICmpInst::getSignedPredicate(predicate)
              : predicate) {
  case CmpInst::ICMP_EQ:
    return number == 0;
  case CmpInst::ICMP_NE:
    return number != 0;
  case CmpInst::ICMP_SLT:
    return number < 0;
  case CmpInst::ICMP_SLE:
    return number <= 0;
  case CmpInst::ICMP_SGT:
    return number > 0;
  default:
    return number >= 0;
  }
}

/// Returns the round, from 0, in which each lane leaves \p loop, if numbers say
/// it; of lanes that never do any number will do.
std::optional<LaneNumbers> LaneValues::lastRoundsOf(const Loop &loop) {
  constexpr int64_t kMostRounds = 1024;
  const BasicBlock *exiting = loop.getExitingBlock();
  const auto *branch =
      exiting ? dyn_cast<BranchInst>(exiting->getTerminator()) : nullptr;
  const auto *compared = branch && branch->isConditional()
                             ? dyn_cast<ICmpInst>(branch->getCondition())
                             : nullptr;
  if (!compared)
    return std::nullopt;
  LaneValue a = at(*compared->getOperand(0), *exiting),
            b = at(*compared->getOperand(1), *exiting);
  CmpInst::Predicate predicate = compared->getPredicate();
  bool isSigned = a.isSigned && b.isSigned && !CmpInst::isUnsigned(predicate),
       isUnsigned =
           a.isUnsigned && b.isUnsigned && !CmpInst::isSigned(predicate);
  const LaneSum &round = roundsOf(loop);
  std::optional<LaneSum> apart =
      a.isSum() && b.isSum() && (isSigned || isUnsigned) ? a.sum.minus(b.sum)
                                                         : std::nullopt;
  if (!apart || round.terms().empty() || a.isAssumed || b.isAssumed)
    return std::nullopt;
  LaneNumbers first, step;
  for (const LaneSum::Term &term : apart->terms()) {
    if (term.product.isOne())
      first = term.factor;
    else if (term.product == round.terms().front().product)
      step = term.factor;
    else
      return std::nullopt;
  }
  bool staysIfTrue = loop.contains(branch->getSuccessor(0));
  Lanes rounds{};
  for (unsigned l = 0; l < kWarpLanes; ++l) {
    auto stays = [&](int64_t number) {
      return isAsSaid(predicate, first[l] + number * step[l]) == staysIfTrue;
    };
    if (std::abs(first[l]) > INT32_MAX || std::abs(step[l]) > INT32_MAX)
      return std::nullopt;
    int64_t &number = rounds[l];
    while (number < kMostRounds && stays(number))
      ++number;
    // It never leaves if a round makes no difference, or leads away.
    bool isNever = step[l] == 0 || (first[l] > 0) == (step[l] > 0);
    if (number == kMostRounds && !isNever)
      return std::nullopt;
    if (number == kMostRounds)
      number = 0;
  }
  return LaneNumbers(rounds);
}

/// Returns \p sum where the round of \p loop is that in which lanes leave it;
/// nothing if it depends on more that differs from round to round.
std::optional<LaneSum> LaneValues::whereLeft(const LaneSum &sum,
                                             const Loop &loop) {
  auto [place, isNew] = lastRounds.try_emplace(&loop);
  if (isNew) {
    std::optional<LaneNumbers> found = lastRoundsOf(loop);
    lastRounds[&loop] = std::move(found);
    if (openTrials)
      newLoops.push_back(&loop);
  }
  const std::optional<LaneNumbers> &last = lastRounds[&loop];
  if (!last)
    return std::nullopt;
  LaneSymbolId round = roundsOf(loop).terms().front().product.symbols()[0];
  LaneSum result;
  for (const LaneSum::Term &term : sum.terms()) {
    LaneProduct product = term.product;
    std::optional<LaneNumbers> factor = term.factor;
    while (factor && is_contained(product.symbols(), round)) {
      product = product.without(round);
      factor = factor->times(*last);
    }
    if (!factor || !result.add(product, *factor))
      return std::nullopt;
  }
  const Loop *born = table.loopOf(result);
  if (born && loop.contains(born))
    return std::nullopt;
  return result;
}

LaneValue LaneValues::at(const Value &value, const BasicBlock &user) {
  LaneValue result = of(value);
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || !result.isSum())
    return result;
  for (const Loop *loop = analyses.loops.getLoopFor(instruction->getParent());
       loop && !loop->contains(&user); loop = loop->getParentLoop()) {
    const Loop *born = table.loopOf(result.sum);
    if (!born || !loop->contains(born))
      continue;
    Leaving left = leavingOf(*loop);
    if (left != Leaving::Together) {
      if (std::optional<LaneSum> sum = whereLeft(result.sum, *loop)) {
        result.sum = std::move(*sum);
        continue;
      }
    }
    switch (left) {
    case Leaving::Together:
      break;
    case Leaving::Nearly:
      result.isAssumed = true; // all leave in one round
      break;
    case Leaving::Apart:
      return LaneValue::unknown();
    case Leaving::ByData:
      return LaneValue::irregular();
    }
  }
  return result;
}

LaneValue LaneValues::of(const Value &value) {
  auto [place, isNew] = known.try_emplace(&value, LaneValue::unknown());
  if (!isNew)
    return place->second;
  if (openTrials)
    newValues.push_back(&value);
  underWay.push_back(&value);
  LaneValue result = compute(value);
  underWay.pop_back();
  return known[&value] = std::move(result);
}

LaneValue LaneValues::operand(const Operator &operation, unsigned i) {
  const Value &value = *operation.getOperand(i);
  const auto *user = dyn_cast<Instruction>(&operation);
  return user ? at(value, *user->getParent()) : of(value);
}

/// Whether \p value is what a kernel reads from memory that kernels write, as
/// where a row of a sparse matrix begins: any number, and no size that a user
/// chose.
static bool isReadFromMemory(const Value &value) {
  const auto *load = dyn_cast<LoadInst>(&value);
  if (!load)
    return false;
  const Value *object = getUnderlyingObject(load->getPointerOperand());
  const auto *parameter = dyn_cast<Argument>(object);
  if (isa<AllocaInst>(object) || (parameter && parameter->hasByValAttr()))
    return false;
  for (unsigned space : {load->getPointerAddressSpace(),
                         object->getType()->getPointerAddressSpace()})
    if (space == NVPTXAS::ADDRESS_SPACE_CONST ||
        space == NVPTXAS::ADDRESS_SPACE_PARAM)
      return false;
  return true;
}

/// Returns what is known of \p value if it is a parameter of the kernel that
/// counts, or null.
const CountingParameter *LaneValues::countingOf(const Value &value) const {
  const auto *argument = dyn_cast<Argument>(&value);
  if (!argument || caller)
    return nullptr;
  const auto *found = find_if(context.counting, [&](const auto &parameter) {
    return parameter.number == argument->getArgNo();
  });
  return found == context.counting.end() ? nullptr : found;
}

/// Returns a number that all lanes share, with what LLVM knows of it.
LaneValue LaneValues::sameEverywhere(const Value &value) {
  const auto *instruction = dyn_cast<Instruction>(&value);
  const Loop *loop = loopAt(value);
  arithmetic.setLoop(loop);
  unsigned width = widthOf(value);
  Type *type = value.getType();
  if (width == 1)
    return LaneValue::exact(
        table.addChoice({LaneNumbers(1), LaneNumbers(0)}, loop));
  if (width == 0 || width > kWordBits)
    return LaneValue::exact(table.addUniform({}, {}, &value, loop));
  const DataLayout &layout = function.getDataLayout();
  SimplifyQuery query(layout, &analyses.dominators, &analyses.assumptions,
                      instruction);
  KnownBits bits = computeKnownBits(&value, query);
  Congruence congruence;
  constexpr unsigned kMostZeros = 12; // a page
  const CountingParameter *counting = countingOf(value);
  unsigned zeros = std::min(std::max(bits.countMinTrailingZeros(),
                                     counting ? counting->alignLog2 : 0),
                            kMostZeros);
  if (type->isPointerTy())
    zeros = std::max(zeros, Log2(value.getPointerAlignment(layout)));
  congruence.modulus = uint64_t(1) << zeros;
  if (type->isPointerTy())
    return LaneValue::exact(table.addUniform({}, congruence, &value, loop));
  ConstantRange range = ConstantRange::fromKnownBits(bits, /*IsSigned=*/true);
  range = range.intersectWith(
      computeConstantRange(&value, /*ForSigned=*/true, /*UseInstrInfo=*/true,
                           &analyses.assumptions, instruction,
                           &analyses.dominators),
      ConstantRange::Signed);
  LaneValue result = arithmetic.uniform({range.getSignedMin().getSExtValue(),
                                         range.getSignedMax().getSExtValue()},
                                        congruence, width, &value);
  if (!result.sum.number() && (counting || isReadFromMemory(value)))
    table.makeCounter(result.sum.terms()[0].product.symbols()[0]);
  return result;
}

LaneValue LaneValues::compute(const Value &value) {
  if (const auto *integer = dyn_cast<ConstantInt>(&value)) {
    if (integer->getBitWidth() > kWordBits)
      return sameEverywhere(value);
    if (integer->getBitWidth() == 1)
      return LaneValue::number(integer->isOne());
    LaneValue result = LaneValue::number(integer->getSExtValue());
    result.isUnsigned = !integer->isNegative();
    return result;
  }
  if (isa<ConstantPointerNull>(value))
    return LaneValue::number(0);
  if (isa<Argument, GlobalValue, ConstantData, ConstantAggregate>(value))
    return sameEverywhere(value);
  const auto *operation = dyn_cast<Operator>(&value);
  if (!operation)
    return LaneValue::unknown();
  arithmetic.setLoop(loopAt(value));
  return ofOperator(*operation);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Returns what \p instruction makes of numbers.
static std::optional<int64_t> foldLane(const Instruction &instruction,
                                       ArrayRef<int64_t> numbers) {
  SmallVector<Constant *, 4> constants;
  for (auto [number, used] : zip(numbers, instruction.operand_values())) {
    auto *type = dyn_cast<IntegerType>(used->getType());
    if (!type || type->getBitWidth() > kWordBits)
      return std::nullopt;
    constants.push_back(ConstantInt::get(type, number, /*IsSigned=*/true,
                                         /*ImplicitTrunc=*/true));
  }
  const auto *call = dyn_cast<CallBase>(&instruction);
  Function *callee = call ? call->getCalledFunction() : nullptr;
  Constant *folded = nullptr;
  if (callee && canConstantFoldCallTo(call, callee))
    folded = ConstantFoldCall(call, callee, constants);
  else if (!call)
    folded = ConstantFoldInstOperands(const_cast<Instruction *>(&instruction),
                                      constants, instruction.getDataLayout());
  auto *number = dyn_cast_or_null<ConstantInt>(folded);
  return number ? std::optional(number->getSExtValue()) : std::nullopt;
}

LaneValue LaneValues::ofOperands(const Value &value) {
  const auto &user = cast<User>(value);
  const auto *call = dyn_cast<CallBase>(&value);
  bool isUniform = true;
  LaneValue result = LaneValue::unknown();
  SmallVector<LaneValue, 4> operands;
  const auto *instruction = dyn_cast<Instruction>(&value);
  for (const Value *used : user.operand_values()) {
    if (isa<BasicBlock>(used) || isa<MetadataAsValue>(used) ||
        (call && used == call->getCalledOperand()))
      continue;
    operands.push_back(instruction ? at(*used, *instruction->getParent())
                                   : of(*used));
    isUniform &= areUniform(operands.back());
    result = LaneArithmetic::worst(result, operands.back());
  }
  if (isUniform)
    return sameEverywhere(value);
  unsigned width = widthOf(value);
  if (!instruction || width == 0 || width > kWordBits)
    return result;
  LaneValue folded =
      arithmetic.eachLane(operands, width, [&](ArrayRef<int64_t> lane) {
        return foldLane(*instruction, lane);
      });
  return folded.isSum() ? folded : result;
}

LaneValue LaneValues::ofBinary(const Operator &operation) {
  unsigned width = widthOf(operation);
  if (width == 0 || width > kWordBits)
    return ofOperands(operation);
  LaneValue a = operand(operation, 0), b = operand(operation, 1);
  NoWrap noWrap;
  if (const auto *known = dyn_cast<OverflowingBinaryOperator>(&operation))
    noWrap = {known->hasNoSignedWrap(), known->hasNoUnsignedWrap()};
  LaneValue result;
  switch (operation.getOpcode()) {
  case Instruction::Add:
    result = arithmetic.add(a, b, width, noWrap);
    break;
  case Instruction::Sub:
    result = arithmetic.subtract(a, b, width, noWrap);
    break;
  case Instruction::Mul:
    result = arithmetic.multiply(a, b, width, noWrap);
    break;
  case Instruction::Shl:
    result = arithmetic.shiftLeft(a, b, width, noWrap);
    break;
  case Instruction::LShr:
  case Instruction::AShr:
    result = arithmetic.shiftRight(a, b, width,
                                   operation.getOpcode() == Instruction::AShr);
    break;
  case Instruction::UDiv:
  case Instruction::SDiv:
    result = arithmetic.divide(a, b, width,
                               operation.getOpcode() == Instruction::SDiv);
    break;
  case Instruction::URem:
  case Instruction::SRem:
    result = arithmetic.remainder(a, b, width,
                                  operation.getOpcode() == Instruction::SRem);
    break;
  case Instruction::And:
    result = arithmetic.bitAnd(a, b, width);
    break;
  case Instruction::Or: {
    const auto *known = dyn_cast<PossiblyDisjointInst>(&operation);
    result = arithmetic.bitOr(a, b, width, known && known->isDisjoint());
    break;
  }
  case Instruction::Xor:
    result = arithmetic.bitXor(a, b, width);
    break;
  default:
    return ofOperands(operation);
  }
  return result.isSum() ? result : ofOperands(operation);
}

LaneValue LaneValues::ofCast(const Operator &operation) {
  unsigned to = widthOf(operation), from = widthOf(*operation.getOperand(0));
  if (to == 0 || from == 0 || to > kWordBits || from > kWordBits)
    return ofOperands(operation);
  LaneValue value = operand(operation, 0);
  switch (operation.getOpcode()) {
  case Instruction::SExt:
    return arithmetic.extend(value, from, /*isSigned=*/true);
  case Instruction::ZExt: {
    const auto *known = dyn_cast<PossiblyNonNegInst>(&operation);
    return arithmetic.extend(value, from,
                             known && known->hasNonNeg() && value.isSigned);
  }
  case Instruction::Trunc:
    return arithmetic.truncate(value, to);
  default: // of pointers
    return to < from ? arithmetic.truncate(value, to) : value;
  }
}

/// Addresses are taken not to wrap: no object lies at both ends.
LaneValue LaneValues::ofPointer(const GEPOperator &operation) {
  if (!operation.getType()->isPointerTy())
    return ofOperands(operation);
  const DataLayout &layout = function.getDataLayout();
  unsigned width = layout.getIndexTypeSizeInBits(operation.getType());
  LaneValue address = operand(operation, 0);
  unsigned i = 1;
  for (gep_type_iterator place = gep_type_begin(operation),
                         end = gep_type_end(operation);
       place != end; ++place, ++i) {
    if (!address.isSum())
      return address;
    LaneValue offset = operand(operation, i);
    if (StructType *type = place.getStructTypeOrNull()) {
      uint64_t field =
          cast<ConstantInt>(operation.getOperand(i))->getZExtValue();
      offset =
          LaneValue::number(static_cast<int64_t>(layout.getStructLayout(type)
                                                     ->getElementOffset(field)
                                                     .getFixedValue()));
    } else {
      unsigned from = widthOf(*operation.getOperand(i));
      if (from < width)
        offset = arithmetic.extend(offset, from, /*isSigned=*/true);
      offset = arithmetic.multiply(
          offset,
          LaneValue::number(static_cast<int64_t>(
              place.getSequentialElementStride(layout).getKnownMinValue())),
          kWordBits, {true, true});
    }
    // The sum of a 64-bit number that wrapped is still right modulo 2^64.
    address = arithmetic.add(address, offset, kWordBits, {true, true});
    address.isSigned = address.isUnsigned = true;
  }
  return address;
}

LaneValue LaneValues::ofOperator(const Operator &operation) {
  switch (operation.getOpcode()) {
  case Instruction::GetElementPtr:
    return ofPointer(cast<GEPOperator>(operation));
  case Instruction::PHI:
    return ofPhi(cast<PHINode>(operation));
  case Instruction::Load:
    return ofLoad(operation);
  case Instruction::Call:
    return ofCall(cast<CallBase>(operation));
  case Instruction::Alloca:
    return sameEverywhere(operation);
  case Instruction::Freeze:
    return operand(operation, 0);
  case Instruction::AtomicRMW:
  case Instruction::AtomicCmpXchg:
    return LaneValue::irregular();
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
  case Instruction::IntToPtr:
  case Instruction::AddrSpaceCast:
  case Instruction::BitCast:
    return ofCast(operation);
  case Instruction::ICmp: {
    unsigned width = widthOf(*operation.getOperand(0));
    if (width == 0 || width > kWordBits || !operation.getType()->isIntegerTy())
      return ofOperands(operation);
    LaneValue result =
        arithmetic.compare(cast<ICmpInst>(operation).getPredicate(),
                           operand(operation, 0), operand(operation, 1), width);
    return result.isSum() ? result : ofOperands(operation);
  }
  case Instruction::Select: {
    unsigned width = widthOf(operation);
    if (width == 0 || width > kWordBits ||
        !operation.getOperand(0)->getType()->isIntegerTy())
      return ofOperands(operation);
    LaneValue a = operand(operation, 1), b = operand(operation, 2);
    return offBorders(arithmetic.select(operand(operation, 0), a, b, width),
                      {a, b});
  }
  default:
    return isa<BinaryOperator>(operation) ? ofBinary(operation)
                                          : ofOperands(operation);
  }
}

/// A table of constants that lanes index with numbers.
LaneValue LaneValues::loadConstants(const Value &load,
                                    const LaneValue &address) {
  unsigned width = widthOf(load);
  if (width == 0 || width > kWordBits || !load.getType()->isIntegerTy())
    return LaneValue::irregular();
  for (const LaneSum::Term &term : address.sum.terms()) {
    if (term.product.isOne())
      continue;
    auto symbols = term.product.symbols();
    const auto *variable = dyn_cast_or_null<GlobalVariable>(
        symbols.size() == 1 ? table[symbols[0]].value : nullptr);
    if (!variable || !variable->isConstant() ||
        !variable->hasDefinitiveInitializer() ||
        term.factor != LaneNumbers(1) || address.sum.terms().size() > 2)
      return LaneValue::irregular();
    std::optional<LaneSum> rest =
        address.sum.minus(LaneSum::ofSymbol(symbols[0]));
    std::optional<LaneNumbers> offsets = rest ? rest->numbers() : std::nullopt;
    if (!offsets)
      return LaneValue::irregular();
    LaneValue result = arithmetic.eachLane(
        LaneValue::exact(LaneSum(*offsets)), width,
        [&](ArrayRef<int64_t> lane) -> std::optional<int64_t> {
          auto *found = dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(
              const_cast<Constant *>(variable->getInitializer()),
              load.getType(), APInt(kWordBits, lane[0], true, true),
              function.getDataLayout()));
          return found ? std::optional(found->getSExtValue()) : std::nullopt;
        });
    return result.isSum() ? result : LaneValue::irregular();
  }
  return LaneValue::irregular();
}

LaneValue LaneValues::ofLoad(const Value &value) {
  const auto &load = cast<LoadInst>(value);
  LaneValue address = at(*load.getPointerOperand(), *load.getParent());
  const Value *object = getUnderlyingObject(load.getPointerOperand());
  // Each lane has its own.
  if (isa<AllocaInst>(object))
    return LaneValue::irregular();
  if (areUniform(address))
    return sameEverywhere(load);
  if (!address.isSum())
    return LaneValue::irregular();
  return loadConstants(load, address);
}

LaneValue LaneValues::ofGeometry(unsigned component, bool isIndex) {
  unsigned axis =
      component < kBlockX ? component - kGridX : component - kBlockX;
  if (component >= kBlockX)
    return isIndex ? context.threads[axis]
                   : LaneValue::number(context.shape.block[axis]);
  if (isIndex)
    return LaneValue::exact(context.blocks[axis]);
  const GeometryFact &size = context.shape.grid[axis];
  return LaneValue::exact(
      table.addUniform({size.low, std::min(size.high, kGeometryLimits[axis])}));
}

/// Returns the lane from which lane \p l gets its value.
static unsigned sourceLane(unsigned id, unsigned l, unsigned distance) {
  unsigned source = l;
  switch (id) {
  case Intrinsic::nvvm_shfl_sync_up_i32:
    source = l >= distance ? l - distance : l;
    break;
  case Intrinsic::nvvm_shfl_sync_down_i32:
    source = l + distance;
    break;
  case Intrinsic::nvvm_shfl_sync_bfly_i32:
    source = l ^ distance;
    break;
  default:
    source = distance;
  }
  return source < kWarpLanes ? source : l;
}

/// The lanes before, at or behind each lane, a bit for each.
static LaneValue ofLaneMask(Intrinsic::ID id) {
  Lanes lanes;
  for (unsigned l = 0; l < kWarpLanes; ++l) {
    uint32_t own = uint32_t(1) << l, below = own - 1;
    lanes[l] = id == Intrinsic::nvvm_read_ptx_sreg_lanemask_eq   ? own
               : id == Intrinsic::nvvm_read_ptx_sreg_lanemask_le ? own | below
               : id == Intrinsic::nvvm_read_ptx_sreg_lanemask_lt ? below
               : id == Intrinsic::nvvm_read_ptx_sreg_lanemask_ge
                   ? ~below
                   : ~(own | below);
  }
  LaneValue result = LaneValue::exact(LaneSum(lanes));
  result.isSigned = false; // the last bit is that of the sign
  return result;
}

/// What the lanes of a warp agree on is the same in all.
LaneValue LaneValues::ofVote(const CallBase &call) {
  for (const Value *argument : call.args())
    if (LaneValue value = at(*argument, *call.getParent()); !value.isSum())
      return value;
  return sameEverywhere(call);
}

LaneValue LaneValues::ofShuffle(const CallBase &call) {
  const BasicBlock &block = *call.getParent();
  LaneValue value = at(*call.getArgOperand(1), block),
            distance = at(*call.getArgOperand(2), block);
  const auto *clamp = dyn_cast<ConstantInt>(call.getArgOperand(3));
  constexpr uint64_t kOneSegment = 0xff; // above: the mask of segments
  if (!areUniform(distance) || !clamp || clamp->getZExtValue() > kOneSegment)
    return LaneArithmetic::worst(value, distance);
  if (call.getIntrinsicID() == Intrinsic::nvvm_shfl_sync_idx_i32)
    return sameEverywhere(call);
  std::optional<int64_t> lanes = distance.sum.number();
  if (!lanes || *lanes < 0 || *lanes >= kWarpLanes || !value.isSum())
    return LaneArithmetic::worst(value, distance);
  LaneSum result;
  for (const LaneSum::Term &term : value.sum.terms()) {
    if (any_of(term.product.symbols(),
               [&](LaneSymbolId id) { return !table[id].isUniform; }))
      return LaneValue::unknown();
    Lanes factor;
    for (unsigned l = 0; l < kWarpLanes; ++l)
      factor[l] = term.factor[sourceLane(call.getIntrinsicID(), l, *lanes)];
    result.add(term.product, factor);
  }
  value.sum = std::move(result);
  return value;
}

/// Returns \p result, or where nothing is known of what decides among \p
/// choices the only one that differs among lanes: the others are taken to be
/// for borders, as where an index is clamped.
LaneValue LaneValues::offBorders(const LaneValue &result,
                                 ArrayRef<LaneValue> choices) const {
  if (result.kind != LaneValue::Kind::Unknown)
    return result;
  const LaneValue *inner = nullptr;
  for (const LaneValue &choice : choices) {
    if (!choice.isSum() || (inner && !areUniform(choice)))
      return result;
    if (!areUniform(choice))
      inner = &choice;
  }
  if (!inner)
    return result;
  LaneValue assumed = *inner;
  assumed.isAssumed = true;
  return assumed;
}

LaneValue LaneValues::ofMinMax(const CallBase &call) {
  const BasicBlock &block = *call.getParent();
  unsigned width = widthOf(call);
  if (width == 0 || width > kWordBits)
    return ofOperands(call);
  LaneValue a = at(*call.getArgOperand(0), block);
  LaneValue b, condition;
  if (call.getIntrinsicID() == Intrinsic::abs) {
    condition =
        arithmetic.compare(CmpInst::ICMP_SGE, a, LaneValue::number(0), width);
    b = arithmetic.subtract(LaneValue::number(0), a, width, {true, false});
  } else {
    b = at(*call.getArgOperand(1), block);
    condition = arithmetic.compare(cast<MinMaxIntrinsic>(call).getPredicate(),
                                   a, b, width);
  }
  LaneValue result = arithmetic.select(condition, a, b, width);
  return result.isSum() ? result : offBorders(ofOperands(call), {a, b});
}

/// Returns what the function that \p call runs returns, if its body tells.
LaneValue LaneValues::ofResult(const CallBase &call) {
  LaneValues *callee = bodyOf(call);
  if (!callee)
    return LaneValue::unknown();
  std::optional<LaneValue> result;
  for (const BasicBlock &block : callee->function)
    if (const auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
      if (result || !end->getReturnValue())
        return LaneValue::unknown(); // which of them, conditions say
      result = callee->at(*end->getReturnValue(), block);
    }
  if (!result || !result->isSum())
    return LaneValue::unknown();
  // Of a loop of the callee, the loops here know nothing.
  bool isOfRound = any_of(result->sum.terms(), [&](const LaneSum::Term &term) {
    return any_of(term.product.symbols(), [&](LaneSymbolId id) {
      const Loop *born = table[id].loop;
      return born && born->getHeader()->getParent() == &callee->function;
    });
  });
  return isOfRound ? LaneValue::unknown() : *result;
}

LaneValue LaneValues::ofCall(const CallBase &call) {
  Intrinsic::ID id = call.getIntrinsicID();
  if (std::optional<GeometryRead> read = geometryRead(id))
    return ofGeometry(read->component, read->isIndex);
  switch (id) {
  case Intrinsic::nvvm_read_ptx_sreg_laneid: {
    Lanes lanes;
    std::iota(lanes.begin(), lanes.end(), 0);
    return LaneValue::exact(LaneSum(lanes));
  }
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_eq:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_lt:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_ge:
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_gt:
    return ofLaneMask(id);
  case Intrinsic::nvvm_shfl_sync_idx_i32:
  case Intrinsic::nvvm_shfl_sync_up_i32:
  case Intrinsic::nvvm_shfl_sync_down_i32:
  case Intrinsic::nvvm_shfl_sync_bfly_i32:
    return ofShuffle(call);
  case Intrinsic::nvvm_vote_all:
  case Intrinsic::nvvm_vote_all_sync:
  case Intrinsic::nvvm_vote_any:
  case Intrinsic::nvvm_vote_any_sync:
  case Intrinsic::nvvm_vote_uni:
  case Intrinsic::nvvm_vote_uni_sync:
  case Intrinsic::nvvm_vote_ballot:
  case Intrinsic::nvvm_vote_ballot_sync:
  case Intrinsic::nvvm_match_all_sync_i32p:
  case Intrinsic::nvvm_match_all_sync_i64p:
  case Intrinsic::nvvm_activemask:
    return ofVote(call);
  case Intrinsic::nvvm_match_any_sync_i32:
  case Intrinsic::nvvm_match_any_sync_i64:
    return ofOperands(call);
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::abs:
    return ofMinMax(call);
  default:
    break;
  }
  if (!analyses.uniformity.isDivergent(&call))
    return sameEverywhere(call);
  if (LaneValue result = ofResult(call); result.isSum())
    return result;
  if (call.doesNotAccessMemory() && !call.isInlineAsm()) {
    LaneValue result = ofOperands(call);
    if (id != Intrinsic::not_intrinsic || !result.isSum())
      return result;
  }
  // What it read, nobody knows.
  return LaneValue::irregular();
}

//===----------------------------------------------------------------------===//
// Phis
//===----------------------------------------------------------------------===//

LaneValue LaneValues::ofPhi(const PHINode &phi) {
  const Loop *loop = analyses.loops.getLoopFor(phi.getParent());
  return loop && loop->getHeader() == phi.getParent() ? ofRounds(phi, *loop)
                                                      : ofJoin(phi);
}

const LaneSum &LaneValues::roundsOf(const Loop &loop) {
  auto [place, isNew] = rounds.try_emplace(&loop);
  if (isNew) {
    unsigned most = analyses.evolution.getSmallConstantMaxTripCount(&loop);
    place->second =
        table.addCounter({0, most ? int64_t(most) - 1 : INT64_MAX}, {}, &loop);
  }
  return place->second;
}

LaneValue LaneValues::ofScev(const SCEV &expression) {
  unsigned width =
      function.getDataLayout().getTypeSizeInBits(expression.getType());
  if (width > kWordBits)
    return LaneValue::unknown();
  switch (expression.getSCEVType()) {
  case scConstant: {
    int64_t number = cast<SCEVConstant>(expression).getAPInt().getSExtValue();
    LaneValue result = LaneValue::number(number);
    result.isUnsigned = number >= 0;
    return result;
  }
  case scUnknown:
    return of(*cast<SCEVUnknown>(expression).getValue());
  case scTruncate:
    return arithmetic.truncate(
        ofScev(*cast<SCEVTruncateExpr>(expression).getOperand()), width);
  case scSignExtend:
  case scZeroExtend: {
    const SCEV &from = *cast<SCEVIntegralCastExpr>(expression).getOperand();
    return arithmetic.extend(
        ofScev(from),
        function.getDataLayout().getTypeSizeInBits(from.getType()),
        expression.getSCEVType() == scSignExtend);
  }
  case scAddExpr:
  case scMulExpr: {
    const auto &operation = cast<SCEVCommutativeExpr>(expression);
    NoWrap noWrap{operation.hasNoSignedWrap(), operation.hasNoUnsignedWrap()};
    bool isSum = expression.getSCEVType() == scAddExpr;
    LaneValue result = LaneValue::number(isSum ? 0 : 1);
    for (const SCEV *part : operation.operands())
      result = isSum
                   ? arithmetic.add(result, ofScev(*part), width, noWrap)
                   : arithmetic.multiply(result, ofScev(*part), width, noWrap);
    return result;
  }
  default:
    return LaneValue::unknown();
  }
}

/// Returns what \p value adds to \p phi, as sums and pointers, in \p terms.
static bool findAdded(const Value &value, const PHINode &phi,
                      SmallVectorImpl<const Value *> &terms) {
  constexpr unsigned kMostSteps = 8;
  const Value *at = &value;
  for (unsigned step = 0; step < kMostSteps && at != &phi; ++step) {
    const auto *operation = dyn_cast<Instruction>(at);
    if (!operation)
      return false;
    if (const auto *address = dyn_cast<GetElementPtrInst>(operation)) {
      append_range(terms, address->indices());
      at = address->getPointerOperand();
      continue;
    }
    if (operation->getOpcode() != Instruction::Add)
      return false;
    bool isFirst = operation->getOperand(0) == &phi ||
                   !isa<Constant>(operation->getOperand(0));
    terms.push_back(operation->getOperand(isFirst ? 1 : 0));
    at = operation->getOperand(isFirst ? 0 : 1);
  }
  return at == &phi;
}

/// A variable to which each round adds something: the same in all lanes, or in
/// each lane about the same in all rounds.
LaneValue LaneValues::ofGrowing(const PHINode &phi, const Loop &loop,
                                const LaneValue &start) {
  const BasicBlock *latch = loop.getLoopLatch();
  SmallVector<const Value *, 4> terms;
  if (!latch || !start.isSum() ||
      !findAdded(*phi.getIncomingValueForBlock(latch), phi, terms))
    return LaneValue::unknown();
  unsigned width = widthOf(phi);
  bool isSame = all_of(
      terms, [&](const Value *term) { return areUniform(at(*term, *latch)); });
  LaneValue added = LaneValue::number(0);
  for (const Value *term : terms)
    added = arithmetic.add(added, at(*term, *latch), width, {true, false});
  arithmetic.setLoop(&loop);
  added = isSame ? arithmetic.uniform({}, {}, width)
                 : arithmetic.multiply(added, LaneValue::exact(roundsOf(loop)),
                                       width, {true, false});
  LaneValue grown = arithmetic.add(start, added, width, {true, false});
  grown.isAssumed = start.isAssumed || !isSame;
  return grown;
}

/// Forgets all that has been found since \p before.
void LaneValues::forgetSince(const Trial &before) {
  auto forget = [](auto &keys, size_t size, auto &found) {
    for (; keys.size() > size; keys.pop_back())
      found.erase(keys.back());
  };
  context.bodies -=
      count_if(ArrayRef(newCalls).drop_front(before.calls),
               [&](const CallBase *call) { return callees[call] != nullptr; });
  forget(newValues, before.values, known);
  forget(newBlocks, before.blocks, masks);
  for (const Loop *loop : ArrayRef(newLoops).drop_front(before.loops))
    lastRounds.erase(loop);
  forget(newLoops, before.loops, leaving);
  forget(newCalls, before.calls, callees);
  forget(newlyTried, before.tried, tried);
}

/// Takes for true that lanes change each of \p phis alike in a round, and
/// returns those of which that follows then.
SmallVector<LaneValues::Alike, 4> LaneValues::provenOf(ArrayRef<Alike> phis,
                                                       const Loop &loop) {
  SmallVector<Alike, 4> proven;
  ++openTrials;
  for (const Alike &alike : phis) {
    known[alike.phi] = alike.value;
    newValues.push_back(alike.phi);
  }
  for (Alike alike : phis) {
    bool isProven = all_of(alike.phi->blocks(), [&](const BasicBlock *block) {
      if (!loop.contains(block))
        return true;
      LaneValue next = at(*alike.phi->getIncomingValueForBlock(block), *block);
      std::optional<LaneSum> change =
          next.isSum() ? next.sum.minus(alike.start) : std::nullopt;
      if (!change)
        return false;
      LaneSum by = table.simplify(std::move(*change));
      alike.value.isAssumed |= next.isAssumed;
      // Which lanes there are is expected, but not which turn in a round.
      bool isExpected = next.isAssumed && !table.variesIn(loop, by);
      return table.isUniform(isExpected ? table.firstCase(by) : by);
    });
    if (isProven)
      proven.push_back(alike);
  }
  --openTrials;
  return proven;
}

/// Finds the variables of \p loop that each round changes in all lanes by the
/// same number, whatever that is, as the index of a row whose neighbor is the
/// one above or below. That is so if a round in which they differ from the
/// start by some numbers that lanes share leaves it so: induction over the
/// rounds.
void LaneValues::findAlike(const Loop &loop) {
  constexpr unsigned kMostTrials = 64, kMostOfLoop = 4; // of a body
  if (!tried.insert(&loop).second)
    return;
  if (openTrials)
    newlyTried.push_back(&loop);
  SmallVector<Alike, 4> phis;
  for (const PHINode &phi : loop.getHeader()->phis()) {
    unsigned width = widthOf(phi);
    const Value *initial = startOf(phi, loop);
    bool isOpen = !known.contains(&phi) || is_contained(underWay, &phi);
    if (!isOpen || !initial || width == 0 || width > kWordBits ||
        !analyses.uniformity.isDivergent(&phi))
      continue;
    LaneValue start = at(*initial, *phi.getParent());
    arithmetic.setLoop(&loop);
    LaneValue alike = arithmetic.add(start, arithmetic.uniform({}, {}, width),
                                     width, {true, false});
    if (alike.isSum())
      phis.push_back({&phi, start.sum, alike});
  }
  // What is being computed is computed anew, in terms of these; but those that
  // another trial is about are known.
  std::vector<const Value *> outside = std::exchange(underWay, {}), open;
  copy_if(outside, std::back_inserter(open),
          [&](const Value *value) { return !known.lookup(value).isSum(); });
  Trial before{newValues.size(), newBlocks.size(), newLoops.size(),
               newCalls.size(), newlyTried.size()};
  unsigned last = std::min(trials + kMostOfLoop, kMostTrials);
  for (; !phis.empty() && trials < last; ++trials) {
    for (const Value *value : open)
      known.erase(value);
    SmallVector<Alike, 4> proven = provenOf(phis, loop);
    bool isDone = equal(proven, phis, [](const Alike &a, const Alike &b) {
      return a.phi == b.phi && a.value.isAssumed == b.value.isAssumed;
    });
    if (isDone)
      break;
    forgetSince(before);
    phis = std::move(proven);
  }
  if (openTrials == 0) {
    newValues.clear();
    newBlocks.clear();
    newLoops.clear();
    newCalls.clear();
    newlyTried.clear();
  }
  underWay = std::move(outside);
  for (const Value *value : underWay)
    known.try_emplace(value, LaneValue::unknown());
}

/// Returns what \p phi is before \p loop, or null if that is several values.
const Value *LaneValues::startOf(const PHINode &phi, const Loop &loop) const {
  const Value *initial = nullptr;
  for (auto [value, block] : zip(phi.incoming_values(), phi.blocks()))
    if (!loop.contains(block)) {
      if (initial && initial != value)
        return nullptr;
      initial = value.get();
    }
  return initial;
}

LaneValue LaneValues::ofRounds(const PHINode &phi, const Loop &loop) {
  const Value *initial = startOf(phi, loop);
  unsigned width = widthOf(phi);
  LaneValue start =
      initial ? at(*initial, *phi.getParent()) : LaneValue::unknown();
  if (width > 0 && width <= kWordBits && start.isSum() &&
      analyses.evolution.isSCEVable(phi.getType())) {
    const auto *rounds = dyn_cast<SCEVAddRecExpr>(
        analyses.evolution.getSCEV(const_cast<PHINode *>(&phi)));
    if (rounds && rounds->isAffine() && rounds->getLoop() == &loop) {
      LaneValue step = ofScev(*rounds->getStepRecurrence(analyses.evolution));
      arithmetic.setLoop(&loop);
      NoWrap noWrap{rounds->hasNoSignedWrap() || phi.getType()->isPointerTy(),
                    rounds->hasNoUnsignedWrap() ||
                        phi.getType()->isPointerTy()};
      LaneValue all =
          arithmetic.multiply(step, LaneValue::exact(roundsOf(loop)), width,
                              {true, step.isUnsigned});
      LaneValue result = arithmetic.add(start, all, width, noWrap);
      if (result.isSum())
        return result;
    }
  }
  if (!analyses.uniformity.isDivergent(&phi))
    return sameEverywhere(phi);
  if (start.kind == LaneValue::Kind::Irregular)
    return start;
  LaneValue grown = ofGrowing(phi, loop, start);
  if (grown.isSum())
    return grown;
  findAlike(loop);
  if (LaneValue alike = known.lookup(&phi); alike.isSum())
    return alike;
  // What a round leaves may depend on data.
  LaneValue result = LaneValue::unknown();
  for (const Value *value : phi.incoming_values())
    result = LaneArithmetic::worst(result, of(*value));
  return result;
}

LaneValue LaneValues::edge(const BasicBlock &from, const BasicBlock &to) {
  const Instruction *end = from.getTerminator();
  if (const auto *branch = dyn_cast<BranchInst>(end)) {
    if (!branch->isConditional() ||
        branch->getSuccessor(0) == branch->getSuccessor(1))
      return LaneValue::number(1);
    LaneValue condition = at(*branch->getCondition(), from);
    return branch->getSuccessor(0) == &to ? condition
                                          : arithmetic.negate(condition);
  }
  const auto *choice = dyn_cast<SwitchInst>(end);
  unsigned width = choice ? widthOf(*choice->getCondition()) : 0;
  if (width == 0 || width > kWordBits)
    return LaneValue::unknown();
  LaneValue value = at(*choice->getCondition(), from);
  LaneValue all = LaneValue::number(0), here = LaneValue::number(0);
  for (const auto &option : choice->cases()) {
    LaneValue equal = arithmetic.compare(CmpInst::ICMP_EQ, value,
                                         of(*option.getCaseValue()), width);
    all = arithmetic.add(all, equal, width, {true, true});
    if (option.getCaseSuccessor() == &to)
      here = arithmetic.add(here, equal, width, {true, true});
  }
  if (choice->getDefaultDest() == &to)
    here = arithmetic.add(here, arithmetic.negate(all), width, {true, true});
  return here;
}

/// Returns the way by which lanes go to \p to, if they come from \p from: of a
/// loop that they leave for \p to alone, the way into it. Nothing if that is
/// not known.
std::optional<LaneValues::Way> LaneValues::wayFrom(const BasicBlock &from,
                                                   const BasicBlock &to) const {
  const Loop *left = nullptr;
  for (const Loop *loop = analyses.loops.getLoopFor(&from);
       loop && !loop->contains(&to); loop = loop->getParentLoop())
    left = loop;
  if (!left)
    return Way(&from, &to);
  const BasicBlock *before = left->getLoopPredecessor();
  if (!before || left->getUniqueExitBlock() != &to)
    return std::nullopt;
  return Way(before, left->getHeader());
}

/// Returns the ways by which lanes go to \p to, each once; nothing if one is
/// not known.
std::optional<SmallVector<LaneValues::Way, 4>>
LaneValues::waysInto(const BasicBlock &to) const {
  SmallSetVector<Way, 4> ways;
  for (const BasicBlock *from : predecessors(&to)) {
    std::optional<Way> way = wayFrom(*from, to);
    if (!way)
      return std::nullopt;
    ways.insert(*way);
  }
  return ways.takeVector();
}

/// Returns the condition of the lanes that go by \p way, of those at the head
/// of what is \p reached.
LaneValue LaneValues::takes(const Way &way, const Reached &reached) {
  return arithmetic.multiply(reached.lookup(way.first),
                             edge(*way.first, *way.second), kWordBits,
                             {true, true});
}

/// Collects the blocks between \p head and \p join, in the order of the
/// function, without loops that lanes leave in one way. Returns false if there
/// are too many, or another loop.
bool LaneValues::findRegion(const BasicBlock &head, const BasicBlock &join,
                            SmallVectorImpl<const BasicBlock *> &region) {
  SmallVector<const BasicBlock *, 8> work;
  auto addBefore = [&](const BasicBlock &block) {
    std::optional<SmallVector<Way, 4>> ways = waysInto(block);
    if (ways)
      append_range(work, make_first_range(*ways));
    return ways.has_value();
  };
  if (!addBefore(join))
    return false;
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (block == &head || is_contained(region, block))
      continue;
    if (region.size() == kMostRegionBlocks || !order.contains(block) ||
        order[block] >= order[&join] || order[block] <= order[&head])
      return false;
    region.push_back(block);
    size_t size = work.size();
    if (!addBefore(*block) ||
        any_of(drop_begin(work, size), [&](const BasicBlock *before) {
          return order.contains(before) && order[before] >= order[block];
        }))
      return false; // a loop
  }
  sort(region, [&](const BasicBlock *a, const BasicBlock *b) {
    return order[a] < order[b];
  });
  return true;
}

std::optional<LaneValues::Reached> LaneValues::waysTo(const BasicBlock &join) {
  const DomTreeNode *node = analyses.dominators.getNode(&join);
  SmallVector<const BasicBlock *, 8> region;
  if (!node || !node->getIDom() ||
      !findRegion(*node->getIDom()->getBlock(), join, region))
    return std::nullopt;
  arithmetic.setLoop(loopAt(*join.getTerminator()));
  Reached reached;
  reached[node->getIDom()->getBlock()] = LaneValue::number(1);
  for (const BasicBlock *block : region) {
    const BasicBlock *head =
        analyses.dominators.getNode(block)->getIDom()->getBlock();
    if (auto here = reached.find(head);
        here != reached.end() &&
        analyses.postDominators.dominates(block, head)) {
      LaneValue all = here->second; // by whatever ways
      reached[block] = all;
      continue;
    }
    LaneValue sum = LaneValue::number(0);
    SmallVector<Way, 4> into = *waysInto(*block);
    for (const Way &way : into)
      sum = arithmetic.add(sum, takes(way, reached), kWordBits, {true, true});
    reached[block] = sum;
  }
  return reached;
}

/// Returns one of \p incoming, which all lanes take for the same reason: what
/// they have in common, or the first. Sums of all cases would be too long.
LaneValue LaneValues::oneOf(ArrayRef<LaneValue> incoming) {
  constexpr uint64_t kMostModulus = 1 << 12; // a page
  LaneSum varying = table.split(incoming[0].sum).second;
  Congruence common{0, 0};
  for (const LaneValue &value : incoming) {
    auto [same, differing] = table.split(value.sum);
    if (differing != varying) {
      LaneValue first = incoming[0];
      first.isAssumed = true;
      return first;
    }
    Congruence here = table.congruence(same, kMostModulus);
    if (common.modulus == 0)
      common = here;
    uint64_t apart = std::max(common.residue, here.residue) -
                     std::min(common.residue, here.residue);
    common.modulus = std::gcd(std::gcd(common.modulus, here.modulus), apart);
    common.residue %= common.modulus;
  }
  LaneValue result = incoming[0];
  if (std::optional<LaneSum> sum =
          arithmetic.uniform({}, common, kWordBits).sum.plus(varying))
    result.sum = std::move(*sum);
  for (const LaneValue &value : incoming)
    result.isAssumed |= value.isAssumed;
  return result;
}

LaneValue LaneValues::ofJoin(const PHINode &phi) {
  const BasicBlock &join = *phi.getParent();
  SmallVector<LaneValue, 4> incoming;
  for (const Value *value : phi.incoming_values())
    incoming.push_back(at(*value, join));
  if (all_of(incoming, [&](const LaneValue &value) {
        return value.isSum() && value.sum == incoming.front().sum;
      })) {
    for (const LaneValue &value : incoming)
      incoming.front().isAssumed |= value.isAssumed;
    return incoming.front();
  }
  if (!analyses.uniformity.isDivergent(&phi))
    return sameEverywhere(phi);
  for (const LaneValue &value : incoming)
    if (!value.isSum())
      return value;
  unsigned width = widthOf(phi);
  // Of a loop that is left in several ways nobody knows in which.
  std::optional<SmallVector<Way, 4>> into = waysInto(join);
  bool isByWays = width > 0 && width <= kWordBits && into &&
                  into->size() == phi.getNumIncomingValues();
  std::optional<Reached> ways = isByWays ? waysTo(join) : std::nullopt;
  if (!ways) {
    LaneValue near = offBorders(LaneValue::unknown(), incoming);
    bool areNear = all_of(incoming, [&](const LaneValue &value) {
      return table.split(value.sum).second ==
             table.split(incoming.front().sum).second;
    });
    if (near.isSum() || !areNear)
      return near;
    arithmetic.setLoop(loopAt(phi));
    near = oneOf(incoming);
    near.isAssumed = true;
    return near;
  }
  // The first value, and what each way makes it more.
  LaneValue all = incoming[0];
  for (unsigned i = 1; i < phi.getNumIncomingValues(); ++i) {
    LaneValue way = takes(*wayFrom(*phi.getIncomingBlock(i), join), *ways);
    LaneValue more =
        arithmetic.subtract(incoming[i], incoming[0], width, {true, true});
    all =
        arithmetic.add(all, arithmetic.multiply(more, way, width, {true, true}),
                       width, {true, true});
  }
  if (all.isSum())
    return all;
  bool isOneForAll = all_of(*ways, [&](const auto &reached) {
    const auto *branch = dyn_cast<BranchInst>(reached.first->getTerminator());
    return branch && (!branch->isConditional() ||
                      areUniform(at(*branch->getCondition(), *reached.first)));
  });
  return isOneForAll ? oneOf(incoming) : offBorders(all, incoming);
}

//===----------------------------------------------------------------------===//
// Active lanes
//===----------------------------------------------------------------------===//

/// Returns the condition of the lanes that come from \p from, a dominator, to
/// \p to, which dominates \p block.
LaneValue LaneValues::arrival(const BasicBlock &from, const BasicBlock &to,
                              const BasicBlock &block) {
  const Loop *loop = analyses.loops.getLoopFor(&from);
  // Lanes leave a loop in several rounds, by several ways.
  if (loop && !loop->contains(&block))
    return analyses.postDominators.dominates(&to, loop->getHeader())
               ? LaneValue::number(1)
               : LaneValue::unknown();
  if (analyses.postDominators.dominates(&to, &from))
    return LaneValue::number(1);
  if (to.getSinglePredecessor() == &from)
    return edge(from, to);
  auto ways = waysTo(to);
  if (!ways)
    return LaneValue::unknown();
  LaneValue sum = LaneValue::number(0);
  SmallVector<Way, 4> into = *waysInto(to);
  for (const Way &way : into)
    sum = arithmetic.add(sum, takes(way, *ways), kWordBits, {true, true});
  return sum;
}

const std::vector<LaneValue> &LaneValues::masksOf(const BasicBlock &block) {
  if (auto place = masks.find(&block); place != masks.end())
    return place->second;
  if (openTrials)
    newBlocks.push_back(&block);
  std::vector<LaneValue> found = entryMasks;
  auto add = [&](LaneValue mask) {
    if (mask.isSum() && mask.sum.number() == 1)
      return;
    if (none_of(found, [&](const LaneValue &other) {
          return other.kind == mask.kind && other.sum == mask.sum;
        }))
      found.push_back(found.size() < kMostMasks ? std::move(mask)
                                                : LaneValue::unknown());
  };
  for (const Loop *loop = analyses.loops.getLoopFor(&block); loop;
       loop = loop->getParentLoop())
    if (leavingOf(*loop) != Leaving::Together)
      add(LaneValue::unknown()); // some have left
  for (const DomTreeNode *node = analyses.dominators.getNode(&block);
       node && node->getIDom(); node = node->getIDom()) {
    const BasicBlock &above = *node->getIDom()->getBlock();
    add(arrival(above, *node->getBlock(), block));
    const Loop *loop = analyses.loops.getLoopFor(&above);
    auto before = masks.find(&above);
    if (before == masks.end() || (loop && !loop->contains(&block)))
      continue;
    for (const LaneValue &mask : before->second)
      add(mask);
    break; // who comes there, comes by the rest
  }
  return masks[&block] = std::move(found);
}

} // namespace gpulto
