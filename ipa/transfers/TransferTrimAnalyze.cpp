//===- TransferTrimAnalyze.cpp - Events that no copy depends on (LGEN) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: summaries that stay small.
//
//   double sum[8]; for (...) sum[i] += rand(); printf("%g", sum[0]);
//   -> nothing, if no copy gets `sum`
//
//  1. findAsked     memory that copies, fills, allocations, launches and
//                   functions that may reach the runtime get.
//  2. trimOperands  other memory of the function is left out, pointers of
//                   unknown origin are all one, and numbers stay only where a
//                   size or a parameter is asked for.
//  3. isNeeded      accesses and calls of the library to which nothing is left
//                   go, and so do functions of the runtime that touch nothing.
//  4. findWatched   behind a wait all calls stay, up to what waits again: they
//                   may look at what it waited for, if only at a clock.
//  5. renumber      values that nothing names any more go.
//
//===----------------------------------------------------------------------===//

#include "ipa/transfers/TransferTrim.h"
#include "ipa/values/RuntimeCalls.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <map>

namespace gpulto {

using Row = RuntimeFunction;

TransferTrim::TransferTrim(const LgenContext &context,
                           const FunctionSummary &body,
                           const ReachingFunctions &reaching,
                           const HostLibrary &library,
                           llvm::ArrayRef<TransferValue> values)
    : context(context), body(body), reaching(reaching), library(library),
      values(values),
      hasPageLocked(llvm::any_of(runtimeFunctions(),
                                 [&](const Row &row) {
                                   return row.has(Row::AllocatesPageLocked) &&
                                          context.module.getFunction(row.name);
                                 })),
      sized(static_cast<unsigned>(values.size())) {}

const llvm::CallBase &TransferTrim::callOf(const TransferEvent &event) const {
  return *context.callInstructions[body.calls.first + event.call];
}

const RuntimeFunction *TransferTrim::rowOf(const TransferEvent &event) const {
  return runtimeFunctionOf(callOf(event));
}

TransferTrim::Callee TransferTrim::calleeOf(const TransferEvent &event) const {
  if (rowOf(event))
    return Callee::Row;
  const llvm::Function *callee = calledFunction(callOf(event));
  if (!callee)
    return Callee::Reaching;
  SymbolIndex symbol = context.indexOf(*callee);
  if (symbol != kNone && context.summary.symbols[symbol].has(kKernelStub))
    return Callee::Stub;
  if (!callee->isDeclarationForLinker())
    return reaching.contains(callee) ? Callee::Reaching : Callee::Other;
  return library.contains(callee->getName()) ? Callee::Library
                                             : Callee::Reaching;
}

/// Whether copies depend on what \p event, a call, gets.
bool TransferTrim::isAsking(const TransferEvent &event) const {
  switch (calleeOf(event)) {
  case Callee::Stub:
  case Callee::Reaching:
    return true;
  case Callee::Row: {
    const Row &row = *rowOf(event);
    return row.target != Row::kNone || row.has(Row::Allocates) ||
           row.has(Row::Frees) || row.has(Row::FreesInStream) || !row.isQuiet();
  }
  case Callee::Library:
  case Callee::Other:
    return false;
  }
  llvm_unreachable("all callees are above");
}

TransferTrim::Memory TransferTrim::memoryOf(uint32_t number) const {
  const TransferValue &value = values[number];
  using Kind = TransferValueKind;
  if (value.bitWidth)
    return {Memory::None, 0};
  if (value.kind == Kind::Local)
    return {Memory::Local, number};
  if (value.kind == Kind::Offset || value.kind == Kind::Operation)
    return memoryOf(value.base);
  using Form = JumpFunction::Kind;
  switch (value.function.kind) {
  case Form::Allocation:
    return {Memory::Allocation, value.function.source};
  case Form::SymbolAddress:
    return {Memory::Variable, value.function.source};
  case Form::Null:
    return {Memory::None, 0};
  default:
    return value.function.isPointerPassedOn()
               ? Memory{Memory::Formal, value.function.source}
               : Memory{};
  }
}

/// Adds \p value, and what it is made of, to \p used.
void TransferTrim::markUsed(uint32_t value, llvm::BitVector &used) const {
  for (uint32_t next = value; next != kNone && !used.test(next);
       next = values[next].base) {
    used.set(next);
    if (values[next].other != kNone)
      markUsed(values[next].other, used);
  }
}

/// Whether the number \p value is made of what sizes of copies are made of, or
/// may be: a constant, or what the function was given.
bool TransferTrim::isLikeSize(uint32_t value) const {
  const TransferValue &known = values[value];
  using Form = JumpFunction::Kind;
  if (sized.test(value) || known.function.kind == Form::PassThrough ||
      known.function.kind == Form::Constant)
    return true;
  bool isMade = known.kind == TransferValueKind::Operation;
  return isMade && (isLikeSize(known.base) ||
                    (known.other != kNone && isLikeSize(known.other)));
}

/// Whether argument \p index of the call \p event is where an allocation leaves
/// a pointer: that matters if somebody loads it from there.
bool TransferTrim::isPlace(const TransferEvent &event, size_t index) const {
  const Row *row = rowOf(event);
  return row && row->has(Row::Allocates) && index == 0;
}

/// Finds the memory that asking calls get, and where they find pointers to it.
void TransferTrim::findAsked(const BlockEvents &blocks) {
  llvm::BitVector used(values.size());
  for (const auto &[block, events] : blocks)
    for (const TransferEvent &event : events)
      if (event.kind == TransferEventKind::Call && isAsking(event)) {
        const Row *row = rowOf(event);
        for (auto [index, operand] : llvm::enumerate(event.operands)) {
          if (operand.value == kNone)
            continue;
          if (!isPlace(event, index))
            markUsed(operand.value, used);
          if (row && int(index) == row->bytes)
            markUsed(operand.value, sized);
        }
      }
  for (unsigned value : used.set_bits())
    asked.insert(memoryOf(value));
}

bool TransferTrim::matters(const Memory &memory) const {
  bool isOwn =
      memory.kind == Memory::Local || memory.kind == Memory::Allocation;
  return memory.kind != Memory::None && (!isOwn || asked.contains(memory));
}

/// Leaves out operands that do not matter; pointers of which nothing is known
/// become one.
void TransferTrim::trimOperands(TransferEvent &event) const {
  bool isCall = event.kind == TransferEventKind::Call;
  Callee callee = isCall ? calleeOf(event) : Callee::Other;
  const Row *row = callee == Callee::Row ? rowOf(event) : nullptr;
  std::map<uint32_t, TransferOperand> accesses;
  for (auto [index, operand] : llvm::enumerate(event.operands)) {
    if (operand.value == kNone)
      continue;
    Memory memory = memoryOf(operand.value);
    if (values[operand.value].bitWidth) {
      bool isSize =
          row && (int(index) == row->bytes || int(index) == row->offset);
      bool isCount = callee == Callee::Stub && isLikeSize(operand.value);
      if (!isSize && !isCount && callee != Callee::Reaching)
        operand = {};
    } else if (!matters(memory)) {
      operand = {};
    } else if (memory.kind == Memory::Unknown &&
               (!isCall || !isAsking(event))) {
      operand.value = kNone;
    }
    if (!isCall && operand.access)
      accesses[operand.value].add(
          operand.access, operand.value == kNone ? 0 : operand.readBytes);
  }
  if (!isCall) {
    event.operands.clear();
    for (auto &[value, operand] : accesses) {
      operand.value = value;
      event.operands.push_back(operand);
    }
    if (!writes(event))
      event.stretch = kNone;
  }
  while (!event.operands.empty() && event.operands.back() == TransferOperand())
    event.operands.pop_back();
}

bool TransferTrim::isNeeded(const TransferEvent &event) const {
  switch (event.kind) {
  case TransferEventKind::Block:
  case TransferEventKind::Unknown:
    return true;
  case TransferEventKind::Access:
  case TransferEventKind::Keeps:
    return !event.operands.empty();
  case TransferEventKind::Succeeded: {
    const Row *row = rowOf(event);
    return row && row->target != Row::kNone;
  }
  case TransferEventKind::Call:
    break;
  }
  if (isAsking(event))
    return true;
  switch (calleeOf(event)) {
  case Callee::Library: {
    llvm::StringRef name = calledFunction(callOf(event))->getName();
    bool throws = !callOf(event).doesNotThrow();
    return !event.operands.empty() || throws ||
           !HostLibrary::touchesArgumentsOnly(name);
  }
  case Callee::Row:
    return isWait(event) ||
           llvm::any_of(event.operands, [&](const TransferOperand &operand) {
             return operand.value != kNone &&
                    memoryOf(operand.value).kind != Memory::Unknown;
           });
  default:
    return true;
  }
}

bool TransferTrim::isWait(const TransferEvent &event) const {
  const Row *row =
      event.kind == TransferEventKind::Call ? rowOf(event) : nullptr;
  return row && row->has(Row::Waits);
}

/// Whether a synchronous copy, as \p row is, waits.
static bool isCopyThatWaits(const Row &row) {
  return row.source != Row::kNone && row.stream == Row::kNone;
}

/// Whether \p event waits, and perhaps longer than it has to.
bool TransferTrim::beginsWatch(const TransferEvent &event) const {
  return isWait(event) ||
         (hasPageLocked && event.kind == TransferEventKind::Call &&
          rowOf(event) && isCopyThatWaits(*rowOf(event)));
}

/// Whether \p event waits, or enters a function that may.
bool TransferTrim::endsWatch(const TransferEvent &event) const {
  if (event.kind != TransferEventKind::Call)
    return false;
  switch (calleeOf(event)) {
  case Callee::Reaching:
    return true;
  case Callee::Row: {
    const Row &row = *rowOf(event);
    return isCopyThatWaits(row) || row.has(Row::Frees);
  }
  default:
    return false;
  }
}

/// Returns the blocks that may begin behind a wait with nothing between that
/// waits.
llvm::DenseSet<const llvm::BasicBlock *>
TransferTrim::findWatched(const BlockEvents &blocks) const {
  llvm::DenseSet<const llvm::BasicBlock *> watched;
  llvm::SmallVector<const llvm::BasicBlock *, 8> queue;
  auto leave = [&](const llvm::BasicBlock &block) {
    for (const llvm::BasicBlock *next : llvm::successors(&block))
      if (watched.insert(next).second)
        queue.push_back(next);
  };
  // Whether a block, or the last part of it, is behind a wait.
  auto isOpen = [&](llvm::ArrayRef<TransferEvent> events, bool isBehind) {
    for (const TransferEvent &event : llvm::reverse(events)) {
      if (beginsWatch(event))
        return true;
      if (endsWatch(event))
        return false;
    }
    return isBehind;
  };
  for (const auto &[block, events] : blocks)
    if (isOpen(events, false))
      leave(*block);
  while (!queue.empty()) {
    const llvm::BasicBlock *block = queue.pop_back_val();
    auto known = blocks.find(block);
    if (known == blocks.end() || isOpen(known->second, true))
      leave(*block);
  }
  return watched;
}

void TransferTrim::run(BlockEvents &blocks) {
  findAsked(blocks);
  llvm::DenseSet<const llvm::BasicBlock *> watched = findWatched(blocks);
  for (auto &[block, events] : blocks) {
    bool isWatched = watched.contains(block);
    std::vector<TransferEvent> kept;
    for (TransferEvent &event : events) {
      trimOperands(event);
      bool mayLook = isWatched && event.kind == TransferEventKind::Call;
      isWatched = beginsWatch(event) || (isWatched && !endsWatch(event));
      if (mayLook || isNeeded(event))
        kept.push_back(std::move(event));
    }
    events = std::move(kept);
  }
}

std::vector<uint32_t>
TransferTrim::renumber(BlockEvents &blocks,
                       std::vector<TransferValue> &kept) const {
  llvm::BitVector used(values.size());
  for (const auto &[block, events] : blocks)
    for (const TransferEvent &event : events)
      for (const TransferOperand &operand : event.operands)
        if (operand.value != kNone)
          markUsed(operand.value, used);
  std::vector<uint32_t> numbers(values.size(), kNone), stay;
  for (unsigned value : used.set_bits()) {
    numbers[value] = static_cast<uint32_t>(stay.size());
    stay.push_back(value);
    TransferValue &now = kept.emplace_back(values[value]);
    if (now.base != kNone)
      now.base = numbers[now.base];
    if (now.other != kNone)
      now.other = numbers[now.other];
  }
  for (auto &[block, events] : blocks)
    for (TransferEvent &event : events)
      for (TransferOperand &operand : event.operands)
        if (operand.value != kNone)
          operand.value = numbers[operand.value];
  return stay;
}

} // namespace gpulto
