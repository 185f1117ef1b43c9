//===- TransferValuesAnalyze.cpp - What copies name (LGEN) ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: numbers for pointers and sizes, so that whole-program analysis can tell
// which are equal and what memory they lead to.
//
//   cudaMemcpy(d, h + 4, n * sizeof(float), ...)
//   -> d: load of a local variable, memory of call 3; h + 4: offset of the
//      result of call 0; the size: an operation on parameter 1
//
// A load is told as such only if nothing writes that memory until it is used;
// else it is a value of its block. A pointer at an unknown distance is the sum
// of what it is based on and of a value that is its block's.
//
// That a sum or a product does not wrap is told by its own flag. Loop passes
// drop the flags of products that they use for bounds (n = 192 * blocks); then
// a larger product of the same factor tells it that the program has used
// before.
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/TransferValues.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/JumpOperations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace gpulto {

using Kind = TransferValueKind;

/// Operations and loads of loads are told to this depth.
static constexpr unsigned kMaxDepth = 5;

TransferValues::TransferValues(LgenContext &context, llvm::Function &function,
                               const CallNumbers &calls,
                               const llvm::LoopInfo &loops)
    : calls(calls), loops(loops),
      dominators(
          context.analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
      jumpFunctions(context, function),
      layout(function.getParent()->getDataLayout()), slots(layout) {
  joinAllocations(function);
}

/// Whether \p value is a call that returns memory which nobody else knows.
bool TransferValues::isHeapCall(const llvm::Value &value) const {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&value);
  return call && llvm::isNoAliasCall(call) && calls.contains(call);
}

bool TransferValues::isAlone(const llvm::CallBase &call) const {
  return !leaders.contains(&call);
}

const llvm::Value *TransferValues::leaderOf(const llvm::Value &object) const {
  const llvm::Value *leader = &object;
  for (auto next = leaders.find(leader);
       next != leaders.end() && next->second != leader;
       next = leaders.find(leader))
    leader = next->second;
  return leader;
}

/// Returns the objects that \p pointer may lead into, without null.
static llvm::SmallVector<const llvm::Value *, 4>
objectsOf(const llvm::Value &pointer) {
  llvm::SmallVector<const llvm::Value *, 4> objects;
  llvm::getUnderlyingObjects(&pointer, objects);
  llvm::erase_if(objects, [](const llvm::Value *object) {
    return llvm::isa<llvm::UndefValue, llvm::ConstantPointerNull>(object);
  });
  return objects;
}

/// Finds calls whose memory one pointer may lead into: a program that calls
/// malloc in two branches.
void TransferValues::joinAllocations(const llvm::Function &function) {
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block) {
      if (!instruction.getType()->isPointerTy() ||
          !llvm::isa<llvm::PHINode, llvm::SelectInst>(instruction))
        continue;
      llvm::SmallVector<const llvm::Value *, 4> objects =
          objectsOf(instruction);
      if (objects.size() < 2 ||
          !llvm::all_of(objects, [&](const llvm::Value *object) {
            return isHeapCall(*object);
          }))
        continue;
      const llvm::Value *leader = leaderOf(*objects.front());
      for (const llvm::Value *object : objects)
        leaders[leaderOf(*object)] = leader;
    }
}

static unsigned bitsOf(const llvm::Value &value) {
  return value.getType()->isIntegerTy() ? value.getType()->getIntegerBitWidth()
                                        : 0;
}

uint32_t TransferValues::add(const TransferValue &value) {
  auto equal = llvm::find(values, value);
  if (equal != values.end())
    return static_cast<uint32_t>(equal - values.begin());
  values.push_back(value);
  definingBlocks.push_back(nullptr);
  return static_cast<uint32_t>(values.size() - 1);
}

uint32_t TransferValues::addPlain(const llvm::Value &value,
                                  const JumpFunction &function) {
  auto [known, isNew] =
      plain.try_emplace(&value, static_cast<uint32_t>(values.size()));
  if (!isNew)
    return known->second;
  TransferValue result;
  result.bitWidth = static_cast<uint16_t>(bitsOf(value));
  result.function = function;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  values.push_back(result);
  definingBlocks.push_back(instruction ? instruction->getParent() : nullptr);
  return known->second;
}

/// Whether the memory that \p load reads may be written between it and \p at.
static bool mayChange(const llvm::LoadInst &load, const llvm::Instruction &at) {
  constexpr unsigned kMaxSteps = 64;
  if (load.getParent() != at.getParent())
    return true;
  unsigned steps = 0;
  for (const llvm::Instruction *next = load.getNextNode(); next != &at;
       next = next->getNextNode())
    if (!next || next->mayWriteToMemory() || ++steps > kMaxSteps)
      return true;
  return false;
}

JumpFunction TransferValues::allocation(uint32_t call) {
  JumpFunction memory;
  memory.kind = JumpFunction::Kind::Allocation;
  memory.source = call;
  return memory;
}

uint32_t TransferValues::ofAllocation(uint32_t call) {
  TransferValue value;
  value.function = allocation(call);
  return add(value);
}

const llvm::Value *
TransferValues::onlyObject(const llvm::Value &pointer) const {
  llvm::SmallVector<const llvm::Value *, 4> objects = objectsOf(pointer);
  if (objects.empty())
    return nullptr;
  const llvm::Value *leader = leaderOf(*objects.front());
  return llvm::all_of(objects,
                      [&](const llvm::Value *object) {
                        return leaderOf(*object) == leader;
                      })
             ? leader
             : nullptr;
}

uint32_t TransferValues::of(const llvm::Value &value,
                            const llvm::Instruction &at, unsigned depth) {
  if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&value);
      variable && variable->isStaticAlloca()) {
    auto [known, isNew] =
        plain.try_emplace(variable, static_cast<uint32_t>(values.size()));
    if (isNew) {
      TransferValue local;
      local.kind = Kind::Local;
      values.push_back(local);
      definingBlocks.push_back(nullptr);
    }
    return known->second;
  }
  if (isHeapCall(value))
    return addPlain(value, allocation(calls.lookup(
                               llvm::cast<llvm::CallBase>(leaderOf(value)))));
  if (llvm::isa<llvm::Constant, llvm::Argument>(value)) {
    TransferValue result;
    result.bitWidth = static_cast<uint16_t>(bitsOf(value));
    result.function = jumpFunctions.of(value);
    using Form = JumpFunction::Kind;
    Form form = result.function.kind;
    if (form == Form::Constant || form == Form::Null ||
        form == Form::PassThrough ||
        (form == Form::SymbolAddress && result.function.value == 0))
      return add(result);
  }
  if (depth > kMaxDepth)
    return addPlain(value, jumpFunctions.of(value));
  return value.getType()->isPointerTy() ? ofPointer(value, at, depth)
                                        : ofNumber(value, at, depth);
}

JumpFunction TransferValues::functionOf(const llvm::LoadInst &load) {
  JumpFunction function = jumpFunctions.of(load);
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(
      llvm::getUnderlyingObject(load.getPointerOperand()));
  if (function.kind == JumpFunction::Kind::Allocation || !variable ||
      !load.getType()->isPointerTy())
    return function;
  const llvm::CallBase *source = slots.sourceOf(load, *variable);
  return source && calls.contains(source) ? allocation(calls.lookup(source))
                                          : function;
}

/// Whether call \p number is in no loop.
bool TransferValues::runsOnce(uint32_t number) const {
  for (auto [call, position] : calls)
    if (position == number)
      return !loops.getLoopFor(call->getParent());
  return false;
}

/// What \p load yields, if it is still there when \p at executes.
uint32_t TransferValues::ofLoad(const llvm::LoadInst &load,
                                const llvm::Instruction &at, unsigned depth) {
  int64_t offset = 0;
  const llvm::Value *base =
      stripOffsets(*load.getPointerOperand(), layout, offset);
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(base);
  if (variable && load.isSimple() && load.getType()->isPointerTy() &&
      slots.sourceOf(load, *variable)) {
    TransferValue left;
    left.kind = Kind::Allocated;
    left.function = jumpFunctions.of(load);
    if (left.function.kind == JumpFunction::Kind::Allocation &&
        runsOnce(left.function.source))
      return add(left);
  }
  bool isSized = load.getType()->isPointerTy() || load.getType()->isIntegerTy();
  if (!load.isSimple() || !isSized || mayChange(load, at))
    return addPlain(load, functionOf(load));
  TransferValue result;
  result.kind = Kind::Load;
  result.bitWidth = static_cast<uint16_t>(bitsOf(load));
  result.base = of(*base, load, depth + 1);
  result.number = static_cast<uint64_t>(offset);
  result.function = functionOf(load);
  return add(result);
}

uint32_t TransferValues::ofPointer(const llvm::Value &value,
                                   const llvm::Instruction &at,
                                   unsigned depth) {
  int64_t offset = 0;
  const llvm::Value *base = stripOffsets(value, layout, offset);
  if (base != &value) {
    TransferValue result;
    result.kind = Kind::Offset;
    result.base = of(*base, at, depth + 1);
    result.number = static_cast<uint64_t>(offset);
    return add(result);
  }
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&value))
    return ofLoad(*load, at, depth);
  const llvm::Value *object = onlyObject(value);
  if (!object || object == &value)
    return addPlain(value, jumpFunctions.of(value));
  TransferValue sum;
  sum.kind = Kind::Operation;
  sum.operation = JumpOperation::Add;
  sum.base = of(*object, at, depth + 1);
  sum.other = addPlain(value, JumpFunction());
  return add(sum);
}

uint32_t TransferValues::ofNumber(const llvm::Value &value,
                                  const llvm::Instruction &at, unsigned depth) {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&value))
    return ofLoad(*load, at, depth);
  std::optional<JumpOperation> operation =
      instruction ? operationOf(instruction->getOpcode()) : std::nullopt;
  if (!operation || !bitsOf(value))
    return addPlain(value, jumpFunctions.of(value));
  TransferValue result;
  result.kind = Kind::Operation;
  result.operation = *operation;
  // One name for what is the same.
  if (auto *extension = llvm::dyn_cast<llvm::ZExtInst>(instruction);
      extension && extension->hasNonNeg())
    result.operation = JumpOperation::SExt;
  if (auto *wrapping =
          llvm::dyn_cast<llvm::OverflowingBinaryOperator>(instruction))
    result.isExact = wrapping->hasNoSignedWrap();
  result.bitWidth = static_cast<uint16_t>(bitsOf(value));
  result.base = of(*instruction->getOperand(0), at, depth + 1);
  if (auto *number =
          instruction->getNumOperands() > 1
              ? llvm::dyn_cast<llvm::ConstantInt>(instruction->getOperand(1))
              : nullptr;
      number && number->getBitWidth() <= 64)
    result.number = number->getZExtValue();
  else if (instruction->getNumOperands() > 1)
    result.other = of(*instruction->getOperand(1), at, depth + 1);
  return add(result);
}

/// Returns by what \p operation multiplies its first operand, if that is a
/// positive constant.
static std::optional<llvm::APInt> factorOf(const llvm::User &operation) {
  using namespace llvm::PatternMatch;
  const llvm::APInt *number;
  std::optional<llvm::APInt> factor;
  if (match(&operation, m_Mul(m_Value(), m_APInt(number))))
    factor = *number;
  else if (match(&operation, m_Shl(m_Value(), m_APInt(number))))
    factor = llvm::APInt(number->getBitWidth(), 1).shl(*number);
  return factor && factor->isStrictlyPositive() ? factor : std::nullopt;
}

/// Whether, when \p at executes, a product of the same factor that is at least
/// \p product, and may not wrap, has been used.
bool TransferValues::isLessThanUsed(const llvm::Instruction &product,
                                    const llvm::Instruction &at) const {
  std::optional<llvm::APInt> factor = factorOf(product);
  constexpr unsigned kMaxUsers = 32;
  const llvm::Value &multiplied = *product.getOperand(0);
  if (!factor || multiplied.hasNUsesOrMore(kMaxUsers))
    return false;
  return llvm::any_of(multiplied.users(), [&](const llvm::User *user) {
    auto *larger = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(user);
    if (!larger || !larger->hasNoSignedWrap() ||
        larger->getOperand(0) != &multiplied)
      return false;
    std::optional<llvm::APInt> by = factorOf(*larger);
    auto *used = llvm::dyn_cast<llvm::Instruction>(user);
    return used && by && by->sge(*factor) && dominators.dominates(used, &at) &&
           llvm::programUndefinedIfPoison(used);
  });
}

bool TransferValues::isExact(const llvm::Value &value,
                             const llvm::Instruction &at,
                             unsigned depth) const {
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || !operationOf(instruction->getOpcode()) ||
      depth > kMaxDepth)
    return true;
  auto *wrapping = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(instruction);
  if (wrapping && !wrapping->hasNoSignedWrap() &&
      !isLessThanUsed(*instruction, at))
    return false;
  return llvm::all_of(instruction->operands(), [&](const llvm::Use &operand) {
    return isExact(*operand, at, depth + 1);
  });
}

} // namespace gpulto
