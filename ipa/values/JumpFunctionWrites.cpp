//===- JumpFunctionWrites.cpp - What callees leave in variables -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: say what is in a variable whose address callees get, where only
// whole-program analysis can tell what they do to it.
//
//   Params p; init(&p, n); step(&p); kernel<<<p.blocks, 256>>>(p.data);
//   -> the bytes of p.blocks are what call 1 leaves behind its argument 0
//
//  1. reachingWrites  finds all writes that may have been the last of these
//                     bytes (ReachingDefinitions.cpp). A call that may write
//                     the variable is one: whole-program analysis goes on to
//                     what was there before it if the callee leaves the bytes
//                     alone. An allocation may fail, so what was there before
//                     is one more.
//  2. choiceOf        says what one of them left; all of them must be told.
//  3. collectWritten  does this for each range of bytes that is written as a
//                     whole, and for the gaps between them, which only callees
//                     and copies write.
//
// What a function leaves behind a pointer parameter is told in the same way at
// its returns (ofOutput), with what was there at its entry as one more choice.
// It holds if no other pointer leads there, as with the variables of callers.
// So is what is there when it passes the pointer on (withPartsNow), and what it
// finds there itself.
//
//   void Solver::run(int n) { this->n = n; check(); kernel<<<this->n, 64>>>();
//   }
//
// Linear in places, each of which has few ranges (kMaxParts).
//
// Source: reaching definitions: A. Aho, M. Lam, R. Sethi, J. Ullman,
// "Compilers", 9.2.4; aggregate jump functions: GCC's ipa-prop.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Analyze.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/JumpFunctionBuilder.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace gpulto {

using Kind = JumpFunction::Kind;

namespace {

/// How far behind a pointer parameter a function is asked what it leaves.
constexpr uint64_t kMaxOutputBytes = uint64_t(1) << 30;

const llvm::CallBase *asAllocation(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && allocationResult(*call) ? call : nullptr;
}

} // namespace

bool isZeroFill(const llvm::Instruction &instruction) {
  auto *fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction);
  auto *value =
      fill ? llvm::dyn_cast<llvm::ConstantInt>(fill->getValue()) : nullptr;
  return value && value->isZero() && !fill->isVolatile();
}

/// Whether \p instruction leaves nothing but zeros or null.
static bool writesNull(const llvm::Instruction &instruction) {
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  auto *constant =
      store ? llvm::dyn_cast<llvm::Constant>(store->getValueOperand())
            : nullptr;
  return isZeroFill(instruction) || (constant && constant->isNullValue());
}

/// The writes of \p local, by their places in the list, that may be of the
/// \p size bytes at byte \p offset.
ReachingDefinitions &
JumpFunctionBuilder::definitions(const LocalVariable &local, uint64_t offset,
                                 uint64_t size, Among among) {
  auto known = local.reaching.find({offset, size, among});
  if (known != local.reaching.end())
    return known->second;
  using DefinitionKind = Definition::Kind;
  llvm::SmallVector<Definition, 8> list;
  for (auto [id, write] : llvm::enumerate(local.writes)) {
    const llvm::Instruction &instruction = *write.instruction;
    bool isOfThese = overlaps(write.offset, write.size, offset, size);
    // What a call that throws has left is not known.
    auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&instruction);
    if (invoke && (isOfThese || among == Among::All))
      list.push_back({invoke->getUnwindDest(), nullptr, DefinitionKind::Loses});
    if (!isOfThese || (among == Among::NonNull && writesNull(instruction)))
      continue;
    bool mayFail = among == Among::All && asAllocation(instruction);
    list.push_back({instruction.getParent(), &instruction,
                    mayFail ? DefinitionKind::Adds : DefinitionKind::Sets,
                    static_cast<uint32_t>(id)});
  }
  // Undefined: any value will do.
  if (among == Among::All && !list.empty())
    for (const llvm::Instruction *start : local.starts)
      list.push_back({start->getParent(), start, DefinitionKind::Forgets});
  return local.reaching
      .try_emplace({offset, size, among}, list, function, context.analyses)
      .first->second;
}

JumpFunctionBuilder::Reaching
JumpFunctionBuilder::reachingWrites(const LocalVariable &local, uint64_t offset,
                                    uint64_t size, Places places) {
  ReachingDefinitions &writes = definitions(local, offset, size, Among::All);
  ReachingSet set;
  for (const llvm::Instruction *place : places)
    set.unite(writes.before(*place));
  Reaching result;
  result.isKnown = set.isKnown;
  result.fromEntry = set.fromEntry;
  for (uint32_t id : set.ids)
    result.writes.push_back(&local.writes[id]);
  return result;
}

/// What \p write left in the \p size bytes at byte \p offset of its variable;
/// Unknown without facts if that cannot be told.
JumpFunction JumpFunctionBuilder::choiceOf(const Write &write, uint64_t offset,
                                           uint64_t size, bool isPointer) {
  JumpFunction j;
  bool isSame = write.offset == offset && write.size == size;
  bool isCovered = write.offset <= offset && write.size != kUnboundedSize &&
                   offset - write.offset + size <= write.size;
  auto *call = llvm::dyn_cast<llvm::CallBase>(write.instruction);
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction)) {
    if (!isSame || !store->isSimple() || loadDepth > kMaxDepth)
      return j;
    ++loadDepth;
    j = of(*store->getValueOperand());
    --loadDepth;
    if (j.bitWidth % 8 != 0)
      return JumpFunction();
    if (j.kind == Kind::CallResult)
      j.count = j.bitWidth / 8;
    return j;
  }
  if (asAllocation(*write.instruction))
    return isSame ? ofAllocation(*call) : j;
  if (isZeroFill(*write.instruction)) {
    constexpr uint64_t kMaxZeroBytes = 8;
    if (!isCovered || size > kMaxZeroBytes)
      return j;
    if (!isPointer)
      return JumpFunction::constant(0, static_cast<uint16_t>(size * 8));
    j.kind = Kind::Null;
    return j;
  }
  if (!write.isByCallee)
    return j;
  if (write.isReturned) {
    if (isCovered)
      j = ofCall(*call, offset - write.offset, 0);
    j.count = j.kind == Kind::Unknown ? 0 : static_cast<uint32_t>(size);
    return j;
  }
  const llvm::Function *callee = call->getCalledFunction();
  bool isRuntime = callee->isDeclaration() && isRuntimeName(callee->getName());
  if (offset < write.passed || !isCallEdge(*call) || isRuntime)
    return j;
  j.kind = Kind::CallMemory;
  j.source = callNumber(*call);
  j.parameter = write.argument;
  j.value = offset - write.passed;
  j.count = static_cast<uint32_t>(size);
  return j;
}

/// The jump function, Memory or Unknown, of the \p size bytes at byte
/// \p offset of \p variable when control is at one of \p places.
JumpFunction JumpFunctionBuilder::ofWritten(const llvm::Value &variable,
                                            uint64_t offset, uint64_t size,
                                            bool isPointer, Places places) {
  const LocalVariable &local = describe(variable);
  auto *argument = llvm::dyn_cast<llvm::Argument>(&variable);
  // Calls do not tell that they get the address of a copy.
  if (local.escapesUnseen || (argument && argument->hasByValAttr()))
    return JumpFunction();
  Reaching reaching = reachingWrites(local, offset, size, places);
  bool isOfEntry =
      reaching.fromEntry && argument && !argument->hasStructRetAttr();
  if (!reaching.isKnown)
    return JumpFunction();
  llvm::SmallVector<AggregatePart, 8> choices;
  for (const Write *write : reaching.writes) {
    JumpFunction choice = choiceOf(*write, offset, size, isPointer);
    // A callee that gets two addresses may mix them up.
    if (!write->isOnly || (choice.kind == Kind::Unknown && !choice.hasFacts()))
      return JumpFunction();
    choices.push_back({0, choice});
  }
  if (isOfEntry) {
    JumpFunction entry;
    entry.kind = Kind::LoadAggregate;
    entry.source = argument->getArgNo();
    entry.value = offset;
    entry.count = static_cast<uint32_t>(size);
    choices.push_back({0, entry});
  }
  JumpFunction result = context.jumpFunctions.aggregate(choices);
  result.kind = Kind::Memory;
  result.parameter = local.number;
  if (choices.empty())
    result.value = size; // nobody has written them
  return result;
}

/// Appends the parts of the bytes, which are a copy of other memory's; returns
/// false if they are not.
bool JumpFunctionBuilder::collectCopied(
    const llvm::Value &variable, uint64_t offset, uint64_t size, uint64_t begin,
    Places places, llvm::SmallVectorImpl<AggregatePart> &parts,
    unsigned depth) {
  const LocalVariable &local = describe(variable);
  Reaching reaching = reachingWrites(local, offset, size, places);
  if (!reaching.isKnown || reaching.writes.size() != 1 ||
      (reaching.fromEntry && llvm::isa<llvm::Argument>(variable)))
    return false;
  const Write &write = *reaching.writes.front();
  auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(write.instruction);
  bool isCovered = write.offset <= offset && write.size != kUnboundedSize &&
                   offset - write.offset + size <= write.size;
  if (!copy || copy->isVolatile() || !isCovered)
    return false;
  llvm::SmallVector<AggregatePart, 8> copied;
  collectParts(*copy->getRawSource(), size, *copy, offset - write.offset,
               copied, depth + 1);
  uint32_t number = local.number;
  for (const AggregatePart &part : copied) {
    JumpFunction memory =
        context.jumpFunctions.aggregate(AggregatePart{0, part.value});
    memory.kind = Kind::Memory;
    memory.parameter = number;
    appendPart(parts, offset - begin + part.byteOffset, memory);
  }
  return true;
}

/// What \p bytes of \p local are told in: what is written as a whole, and what
/// is between, which only callees and copies write.
std::vector<JumpFunctionBuilder::ByteRange>
JumpFunctionBuilder::rangesOf(const LocalVariable &local, Bytes bytes) {
  std::vector<ByteRange> ranges;
  uint64_t end = bytes.offset + bytes.size;
  for (const Write &write : local.writes) {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(write.instruction);
    bool isAllocation = asAllocation(*write.instruction);
    if ((!store && !isAllocation) || write.size == kUnboundedSize ||
        write.offset < bytes.offset || write.offset + write.size > end)
      continue;
    ranges.push_back(
        {write.offset, write.size,
         isAllocation || store->getValueOperand()->getType()->isPointerTy()});
  }
  llvm::sort(ranges);
  ranges.erase(llvm::unique(ranges), ranges.end());
  llvm::SmallVector<Bytes, 16> gaps;
  uint64_t covered = bytes.offset;
  for (const ByteRange &range : ranges) {
    if (range.offset > covered)
      gaps.push_back({covered, range.offset - covered});
    covered = std::max(covered, range.offset + range.size);
  }
  if (covered < end)
    gaps.push_back({covered, end - covered});
  // Zeros are told in words.
  constexpr uint64_t kWordBytes = 8;
  bool isFilled = llvm::any_of(local.writes, [](const Write &write) {
    return isZeroFill(*write.instruction);
  });
  for (const Bytes &gap : gaps) {
    uint64_t step =
        isFilled && gap.size <= kMaxParts * kWordBytes ? kWordBytes : gap.size;
    for (uint64_t i = gap.offset; i < gap.offset + gap.size; i += step)
      ranges.push_back({i, std::min(step, gap.offset + gap.size - i), false});
  }
  return ranges;
}

/// Appends the parts of the \p size bytes from byte \p begin on of \p variable
/// that can be told when control is at one of \p places.
void JumpFunctionBuilder::collectWritten(
    const llvm::Value &variable, uint64_t begin, uint64_t size, Places places,
    llvm::SmallVectorImpl<AggregatePart> &parts, unsigned depth) {
  const LocalVariable &local = describe(variable);
  auto [ranges, isNew] = local.parts.try_emplace({begin, size});
  if (isNew)
    ranges->second = rangesOf(local, {begin, size});
  for (const ByteRange &range : ranges->second) {
    if (parts.size() >= kMaxParts)
      return;
    if (collectCopied(variable, range.offset, range.size, begin, places, parts,
                      depth))
      continue;
    JumpFunction memory =
        ofWritten(variable, range.offset, range.size, range.isPointer, places);
    if (memory.kind != Kind::Unknown)
      appendPart(parts, range.offset - begin, memory);
  }
}

/// \p address, a pointer parameter that \p call gets, with what the function
/// has left there before.
JumpFunction JumpFunctionBuilder::withPartsNow(JumpFunction address,
                                               const llvm::CallBase &call) {
  const llvm::Argument &argument = *function.getArg(address.source);
  int64_t offset = static_cast<int64_t>(address.value);
  if (!isPassedByReference(argument) || offset < 0 ||
      static_cast<uint64_t>(offset) >= kMaxOutputBytes)
    return address;
  // What kernels get does not lead to the host's memory.
  const llvm::Function *callee = call.getCalledFunction();
  SymbolIndex symbol = callee ? context.indexOf(*callee) : kNone;
  if (symbol != kNone && context.summary.symbols[symbol].has(kKernelStub))
    return address;
  const LocalVariable &local = describe(argument);
  if (local.escapesUnseen || local.writes.empty())
    return address;
  // A callee that gets two addresses may mix them up.
  auto isThere = [&](const llvm::Use &use) {
    return use->getType()->isPointerTy() &&
           llvm::getUnderlyingObject(use.get()) == &argument;
  };
  if (llvm::count_if(call.args(), isThere) != 1)
    return address;
  llvm::SmallVector<AggregatePart, 8> parts;
  const llvm::Instruction *place = &call;
  uint64_t begin = static_cast<uint64_t>(offset);
  collectWritten(argument, begin, kMaxOutputBytes - begin, place, parts, 0);
  llvm::sort(parts, [](const AggregatePart &a, const AggregatePart &b) {
    return a.byteOffset < b.byteOffset;
  });
  if (parts.empty())
    return address;
  JumpFunction now = context.jumpFunctions.aggregate(parts);
  address.parameter = now.source;
  address.count = now.count;
  return address;
}

JumpFunction
JumpFunctionBuilder::ofOutput(const llvm::Argument &argument,
                              llvm::ArrayRef<const llvm::Instruction *> rets) {
  if (!isPassedByReference(argument) || argument.hasStructRetAttr() ||
      rets.empty())
    return JumpFunction();
  const LocalVariable &local = describe(argument);
  if (local.escapesUnseen || local.writes.empty())
    return JumpFunction();
  llvm::SmallVector<AggregatePart, 8> parts;
  collectWritten(argument, 0, kMaxOutputBytes, rets, parts, 0);
  llvm::sort(parts, [](const AggregatePart &a, const AggregatePart &b) {
    return a.byteOffset < b.byteOffset;
  });
  return parts.empty() ? JumpFunction()
                       : context.jumpFunctions.aggregate(parts);
}

} // namespace gpulto
