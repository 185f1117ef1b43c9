//===- TransfersAnalyze.cpp - What host code does around copies (LGEN) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: a host function's control flow, reduced to calls and accesses.
//
//   cudaMemcpy(d, h, n, ...); k<<<g, b>>>(d); if (c) h[0] = 1;
//   -> block: call 3 (d, h, n), call 4, call 5 (d) -> two blocks
//      block: access: writes h -> ...
//
//  1. findReaching  functions of the module that may reach the runtime; others
//                   have no events, and their effects say what they do. Only
//                   modules that name the runtime, and that of main, have any.
//  2. addBlock      events of each block. What is accessed between two calls is
//                   one event.
//  3. isKept        memory whose address goes elsewhere than into these events.
//                   Every pointer that no event tells leads to such memory, or
//                   to memory of other functions.
//  4. store         what no copy depends on is left out (TransferTrim), and
//                   blocks without events disappear.
//
// Linear in instructions and uses; a function of more than kMaxTransferEvents
// events has none.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/runtime/GeometryLimits.h"
#include "ipa/runtime/HostLibrary.h"
#include "ipa/transfers/KernelOverwrites.h"
#include "ipa/transfers/Stretches.h"
#include "ipa/transfers/SymbolSources.h"
#include "ipa/transfers/TransferTrim.h"
#include "ipa/transfers/TransferValues.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/ValueShapes.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace gpulto {

namespace {

constexpr unsigned kMaxUses = 512;

/// Lists of one table, of which equal ones are there once: instances of a
/// template copy alike.
template <typename Record> class SharedLists {
public:
  /// Returns where \p list is in \p table, perhaps appended to it.
  Range add(std::vector<Record> list, std::vector<Record> &table) {
    llvm::SmallVector<Range, 1> &alike = lists[hashOf(list)];
    for (Range range : alike)
      if (slice(table, range) == llvm::ArrayRef(list))
        return range;
    Range range = {static_cast<uint32_t>(table.size()),
                   static_cast<uint32_t>(list.size())};
    std::move(list.begin(), list.end(), std::back_inserter(table));
    return alike.emplace_back(range);
  }

private:
  static llvm::hash_code hashOf(const TransferEvent &event) {
    return llvm::hash_combine(event.kind, event.call, event.stretch, event.end,
                              event.loop, event.operands.size(),
                              llvm::hash_combine_range(event.targets));
  }
  static llvm::hash_code hashOf(const TransferValue &value) {
    return llvm::hash_combine(value.kind, value.bitWidth, value.base,
                              value.other, value.number, value.block);
  }
  static uint64_t hashOf(llvm::ArrayRef<Record> list) {
    llvm::hash_code hash = list.size();
    for (const Record &record : list)
      hash = llvm::hash_combine(hash, hashOf(record));
    return uint64_t(hash) >> 1; // no key that a DenseMap needs itself
  }

  llvm::DenseMap<uint64_t, llvm::SmallVector<Range, 1>> lists;
};

/// Those of a module.
struct TransferLists {
  SharedLists<TransferEvent> events;
  SharedLists<TransferValue> values;
};

class TransfersCollector {
public:
  TransfersCollector(LgenContext &context, llvm::Function &function,
                     FunctionSummary &result, const ReachingFunctions &reaching,
                     const HostLibrary &library, TransferLists &lists)
      : context(context), function(function), result(result),
        reaching(reaching), library(library), lists(lists),
        calls(numberCalls(context, result)),
        loops(context.analyses.getResult<llvm::LoopAnalysis>(function)),
        values(context, function, calls, loops),
        layout(function.getParent()->getDataLayout()) {}

  void run();

private:
  static CallNumbers numberCalls(const LgenContext &context,
                                 const FunctionSummary &result);
  void addBlock(const llvm::BasicBlock &block);
  void addInstruction(const llvm::Instruction &instruction);
  void addCall(const llvm::CallBase &call);
  void addConfiguration(const llvm::CallBase &call, TransferEvent &event);
  void addIntrinsic(const llvm::IntrinsicInst &call);
  void addAccess(const llvm::Value &pointer, uint8_t access,
                 const llvm::Instruction &at, uint64_t bytes = 0);
  uint32_t bytesUpTo(const llvm::Value &pointer, uint64_t bytes,
                     const llvm::Value &object) const;
  void addUnknown();
  uint8_t exactness(const llvm::Value &number,
                    const llvm::Instruction &at) const {
    return values.isExact(number, at) ? kTransferExact : 0;
  }
  void addSuccess(const llvm::BasicBlock &block);
  void flush();

  bool isKept(const llvm::Value &pointer) const;
  bool isKeptByUse(const llvm::Use &use, const llvm::Value &object,
                   llvm::SmallVectorImpl<const llvm::Value *> &derived) const;
  void addKept();
  void addKeptAllocations(const llvm::AllocaInst &slot);

  void store();

  LgenContext &context;
  llvm::Function &function;
  FunctionSummary &result;
  const ReachingFunctions &reaching;
  const HostLibrary &library;
  TransferLists &lists;
  const CallNumbers calls;
  const llvm::LoopInfo &loops;
  TransferValues values;
  const llvm::DataLayout &layout;
  /// By block, in the order of the function.
  BlockEvents blocks;
  std::vector<TransferEvent> *current = nullptr;
  /// Accesses since the last call, by value.
  llvm::SmallMapVector<uint32_t, TransferOperand, 16> accesses;
  llvm::SmallSetVector<uint32_t, 8> kept;
  uint32_t stretch = 0;
  bool isTooLarge = false;
};

} // namespace

CallNumbers TransfersCollector::numberCalls(const LgenContext &context,
                                            const FunctionSummary &result) {
  CallNumbers numbers;
  for (uint32_t number = 0; number < result.calls.count; ++number)
    numbers[context.callInstructions[result.calls.first + number]] = number;
  return numbers;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void TransfersCollector::flush() {
  if (accesses.empty())
    return;
  TransferEvent event;
  event.kind = TransferEventKind::Access;
  for (auto &[value, operand] : accesses) {
    operand.value = value;
    event.operands.push_back(operand);
  }
  isTooLarge |= event.operands.size() > kMaxTransferOperands;
  if (writes(event))
    event.stretch = stretch;
  accesses.clear();
  current->push_back(std::move(event));
}

void TransfersCollector::addUnknown() {
  flush();
  TransferEvent event;
  event.kind = TransferEventKind::Unknown;
  event.stretch = stretch;
  current->push_back(std::move(event));
}

/// Returns how many bytes of \p object, from the first on, hold the \p bytes
/// bytes that \p pointer points to; 0: not known.
uint32_t TransfersCollector::bytesUpTo(const llvm::Value &pointer,
                                       uint64_t bytes,
                                       const llvm::Value &object) const {
  int64_t offset = 0;
  bool isKnown = stripOffsets(pointer, layout, offset) == &object &&
                 offset >= 0 && uint64_t(offset) <= UINT32_MAX &&
                 bytes <= UINT32_MAX - uint64_t(offset);
  return isKnown && bytes ? static_cast<uint32_t>(uint64_t(offset) + bytes) : 0;
}

/// Adds an access by \p at of the \p bytes bytes that \p pointer leads to; 0:
/// it is not known how many.
void TransfersCollector::addAccess(const llvm::Value &pointer, uint8_t access,
                                   const llvm::Instruction &at,
                                   uint64_t bytes) {
  llvm::SmallVector<const llvm::Value *, 4> objects;
  llvm::getUnderlyingObjects(&pointer, objects);
  for (const llvm::Value *object : objects) {
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
    if (llvm::isa<llvm::UndefValue, llvm::ConstantPointerNull>(object) ||
        (variable && variable->isConstant()))
      continue;
    accesses[values.of(*object, at)].add(access,
                                         bytesUpTo(pointer, bytes, *object));
  }
}

void TransfersCollector::addIntrinsic(const llvm::IntrinsicInst &call) {
  if (call.isLifetimeStartOrEnd()) {
    // Another variable may have been there, and may be there.
    bool isStart = call.getIntrinsicID() == llvm::Intrinsic::lifetime_start;
    return addAccess(*call.getArgOperand(call.arg_size() - 1),
                     kTransferWrites | (isStart ? kTransferBegins : 0), call);
  }
  if (llvm::isa<llvm::DbgInfoIntrinsic>(call) || call.isDroppable() ||
      call.doesNotAccessMemory() || call.onlyAccessesInaccessibleMemory())
    return;
  auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call);
  if (!memory || memory->isVolatile())
    addUnknown();
  if (!memory)
    return; // what it gets is kept
  addAccess(*memory->getDest(), kTransferWrites, call);
  auto *size = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
  if (auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(memory))
    addAccess(*copy->getSource(), kTransferReads, call,
              size ? size->getLimitedValue() : 0);
}

/// What attributes say that \p call does with its argument \p index.
static uint8_t accessOfArgument(const llvm::CallBase &call, unsigned index) {
  uint8_t access = 0;
  if (!call.doesNotAccessMemory() && !call.doesNotAccessMemory(index)) {
    if (!call.onlyWritesMemory(index))
      access |= kTransferReads;
    if (!call.onlyReadsMemory(index) && !call.isByValArgument(index))
      access |= kTransferWrites;
  }
  if (!call.doesNotCapture(index) && !call.isByValArgument(index))
    access |= kTransferKeeps;
  return access;
}

/// What the direction of a copy says of argument \p index of \p call, of which
/// \p row is known. Memory that is not where it says is undefined behaviour.
static uint8_t accessByDirection(const llvm::CallBase &call,
                                 const RuntimeFunction &row, unsigned index) {
  auto *direction = row.direction == RuntimeFunction::kNone ||
                            size_t(row.direction) >= call.arg_size()
                        ? nullptr
                        : llvm::dyn_cast<llvm::ConstantInt>(
                              call.getArgOperand(row.direction));
  if (!direction)
    return 0;
  uint64_t kind = direction->getZExtValue();
  bool isFromHost = kind == kHostToHost || kind == kHostToDevice;
  bool isToHost = kind == kHostToHost || kind == kDeviceToHost;
  return (int(index) == row.source && isFromHost) ||
                 (int(index) == row.target && isToHost)
             ? kTransferOnHost
             : 0;
}

/// Returns the call that pushed the configuration of \p launch, a call of a
/// stub that runs only where that succeeded, or null.
static const llvm::CallBase *pushBefore(const llvm::CallBase &launch) {
  constexpr unsigned kMaxSteps = 4;
  const llvm::BasicBlock *block = launch.getParent();
  for (unsigned step = 0; step < kMaxSteps; ++step) {
    const llvm::BasicBlock *before = block->getSinglePredecessor();
    if (!before)
      return nullptr;
    auto [push, success] = checkedPush(*before);
    if (push)
      return success == block ? push : nullptr;
    block = before;
  }
  return nullptr;
}

/// Returns the x of \p pair, x and y of a dim3 in one word, if y is a constant
/// in [1, \p most].
static const llvm::Value *firstOf(const llvm::Value &pair, uint64_t most) {
  using namespace llvm::PatternMatch;
  auto *type = llvm::Type::getInt32Ty(pair.getContext());
  const llvm::Value *x = nullptr;
  const llvm::APInt *rest = nullptr;
  uint64_t y = 0;
  if (auto *both = llvm::dyn_cast<llvm::ConstantInt>(&pair)) {
    y = both->getZExtValue() >> kHalfBits;
    x = llvm::ConstantInt::get(type, uint32_t(both->getZExtValue()));
  } else if (match(&pair, m_Or(m_ZExt(m_Value(x)), m_APInt(rest))) &&
             rest->countr_zero() >= kHalfBits) {
    y = rest->getZExtValue() >> kHalfBits;
  }
  return x && x->getType() == type && y >= 1 && y <= most ? x : nullptr;
}

/// Adds to \p event, the call \p call of a stub, how many threads there are, if
/// nothing of the launch's configuration can make it fail: blocks that any
/// kernel's registers suffice for, no dynamic shared memory, and few blocks in
/// y and z.
void TransfersCollector::addConfiguration(const llvm::CallBase &call,
                                          TransferEvent &event) {
  constexpr uint64_t kMaxGrid = kGeometryLimits[kGridY], kMaxThreads = 256;
  const llvm::CallBase *push = pushBefore(call);
  if (!push)
    return;
  auto constantOf = [&](unsigned index) {
    auto *number =
        llvm::dyn_cast<llvm::ConstantInt>(push->getArgOperand(index));
    return number ? number->getZExtValue() : ~uint64_t(0);
  };
  enum Operand : unsigned { GridXY, GridZ, BlockXY, BlockZ, Shared };
  const llvm::Value *grid = firstOf(*push->getArgOperand(GridXY), kMaxGrid);
  auto *block = llvm::dyn_cast<llvm::ConstantInt>(push->getArgOperand(BlockXY));
  if (!grid || !block || constantOf(GridZ) - 1 >= kMaxGrid ||
      constantOf(Shared) != 0)
    return;
  uint64_t x = uint32_t(block->getZExtValue()),
           y = block->getZExtValue() >> kHalfBits, z = constantOf(BlockZ);
  if (!x || !y || !z || x > kMaxThreads || y > kMaxThreads || z > kMaxThreads ||
      x * y * z > kMaxThreads)
    return;
  event.operands.push_back(
      {values.of(*grid, *push),
       static_cast<uint8_t>(kTransferGrid | exactness(*grid, *push))});
  event.operands.push_back(
      {values.of(*llvm::ConstantInt::get(
                     llvm::Type::getInt32Ty(call.getContext()), x),
                 *push),
       kTransferBlock});
}

void TransfersCollector::addCall(const llvm::CallBase &call) {
  if (!endsStretch(call)) {
    if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
      return addIntrinsic(*intrinsic);
    return call.doesNotAccessMemory() ? void() : addUnknown();
  }
  flush();
  ++stretch;
  bool hasPointer = llvm::any_of(call.args(), [](const llvm::Use &operand) {
    return operand->getType()->isPointerTy();
  });
  if (call.doesNotAccessMemory() && !hasPointer)
    return;
  const llvm::Function *callee = calledFunction(call);
  const RuntimeFunction *row = runtimeFunctionOf(call);
  TransferEvent event;
  event.kind = TransferEventKind::Call;
  event.call = calls.lookup(&call);
  for (unsigned index = 0; index < call.arg_size(); ++index) {
    const llvm::Value &argument = *call.getArgOperand(index);
    TransferOperand &operand = event.operands.emplace_back();
    bool isPointer = argument.getType()->isPointerTy();
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&argument);
    bool isText = variable && variable->isConstant() && callee &&
                  library.contains(callee->getName());
    if (isText || llvm::isa<llvm::Function, llvm::UndefValue>(argument) ||
        (!isPointer && !argument.getType()->isIntegerTy()))
      continue;
    operand.value = values.of(argument, call);
    if (isPointer)
      operand.access = row ? accessByDirection(call, *row, index)
                           : accessOfArgument(call, index);
    else if (!llvm::isa<llvm::Constant>(argument))
      operand.access = exactness(argument, call);
  }
  SymbolIndex symbol = callee ? context.indexOf(*callee) : kNone;
  if (symbol != kNone && context.summary.symbols[symbol].has(kKernelStub))
    addConfiguration(call, event);
  isTooLarge |= event.operands.size() > kMaxTransferOperands;
  current->push_back(std::move(event));
  if (call.getType()->isPointerTy() && llvm::isNoAliasCall(&call) &&
      values.isAlone(call))
    accesses[values.of(call, call)].add(kTransferBegins, 0);
}

void TransfersCollector::addInstruction(const llvm::Instruction &instruction) {
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return addCall(*call);
  if (!instruction.mayReadOrWriteMemory())
    return;
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  bool isPlain =
      (load && load->isUnordered()) || (store && store->isUnordered());
  if (!isPlain)
    addUnknown();
  llvm::TypeSize bytes = load ? layout.getTypeStoreSize(load->getType())
                              : llvm::TypeSize::getFixed(0);
  if (const llvm::Value *pointer = llvm::getPointerOperand(&instruction))
    addAccess(*pointer,
              isPlain ? load ? kTransferReads : kTransferWrites
                      : kTransferReads | kTransferWrites,
              instruction, bytes.isScalable() ? 0 : bytes.getFixedValue());
}

/// Whether nothing behind \p instruction in its block writes memory.
static bool isLastWrite(const llvm::Instruction &instruction) {
  for (const llvm::Instruction *next = instruction.getNextNode(); next;
       next = next->getNextNode())
    if (next->mayWriteToMemory())
      return false;
  return true;
}

/// Returns the call, in \p block or the last before it, that gave \p result if
/// nothing has written memory since.
static const llvm::CallBase *lastCall(const llvm::Value &result,
                                      const llvm::BasicBlock &block) {
  if (auto *invoke = llvm::dyn_cast<llvm::InvokeInst>(&result))
    return invoke->getNormalDest() == &block &&
                   block.getSinglePredecessor() == invoke->getParent() &&
                   isLastWrite(*block.begin()) &&
                   !block.begin()->mayWriteToMemory()
               ? invoke
               : nullptr;
  auto *call = llvm::dyn_cast<llvm::CallBase>(&result);
  return call && call->getParent() == &block && isLastWrite(*call) ? call
                                                                   : nullptr;
}

/// Notes, at the beginning of \p block, that the call before it succeeded, if
/// its only way here is by a result of 0.
void TransfersCollector::addSuccess(const llvm::BasicBlock &block) {
  const llvm::BasicBlock *before = block.getSinglePredecessor();
  std::optional<ZeroTest> test = before ? zeroTestAtEnd(*before) : std::nullopt;
  const llvm::CallBase *call = test && test->ifZero == &block
                                   ? lastCall(*test->value, *before)
                                   : nullptr;
  if (!call || !calls.contains(call))
    return;
  TransferEvent event;
  event.kind = TransferEventKind::Succeeded;
  event.call = calls.lookup(call);
  current->push_back(std::move(event));
}

void TransfersCollector::addBlock(const llvm::BasicBlock &block) {
  current = &blocks[&block];
  addSuccess(block);
  for (const llvm::Instruction &instruction : block)
    addInstruction(instruction);
  flush();
  ++stretch;
}

//===----------------------------------------------------------------------===//
// Memory that other code may know
//===----------------------------------------------------------------------===//

/// Whether \p use of a pointer into \p object makes it known elsewhere; adds
/// the pointers that are computed from it to \p derived.
bool TransfersCollector::isKeptByUse(
    const llvm::Use &use, const llvm::Value &object,
    llvm::SmallVectorImpl<const llvm::Value *> &derived) const {
  const llvm::User *user = use.getUser();
  if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user))
    return false;
  if (llvm::isa<llvm::StoreInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(
          user))
    return use.get() !=
           llvm::getPointerOperand(llvm::cast<llvm::Instruction>(user));
  if (llvm::isa<llvm::GetElementPtrInst, llvm::BitCastInst,
                llvm::AddrSpaceCastInst>(user)) {
    derived.push_back(user);
    return false;
  }
  if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user)) {
    derived.push_back(user);
    return values.onlyObject(*user) != values.onlyObject(object);
  }
  auto *call = llvm::dyn_cast<llvm::CallBase>(user);
  if (!call)
    return true;
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call))
    return !(llvm::isa<llvm::DbgInfoIntrinsic, llvm::MemIntrinsic>(intrinsic) ||
             call->isLifetimeStartOrEnd() || call->isDroppable());
  return !isCallEdge(*call) || !call->isArgOperand(&use);
}

/// Whether code that no event describes may know the address that \p pointer,
/// an object or what leads into one, is.
bool TransfersCollector::isKept(const llvm::Value &pointer) const {
  llvm::SmallVector<const llvm::Value *, 8> stack{&pointer};
  llvm::SmallPtrSet<const llvm::Value *, 8> visited;
  unsigned uses = 0;
  while (!stack.empty()) {
    const llvm::Value *next = stack.pop_back_val();
    if (!visited.insert(next).second)
      continue;
    for (const llvm::Use &use : next->uses())
      if (++uses > kMaxUses || isKeptByUse(use, pointer, stack))
        return true;
  }
  return false;
}

/// Adds the memory that calls allocate and leave in \p variable, a local one,
/// if other code may find it there, or if it goes elsewhere from there.
void TransfersCollector::addKeptAllocations(const llvm::AllocaInst &variable) {
  const AllocationSlots::Slots &slots = values.allocationSlots().of(variable);
  bool isKnown = slots.isSeen;
  for (const llvm::LoadInst *load : slots.loads) {
    JumpFunction function = values.functionOf(*load);
    if (function.kind != JumpFunction::Kind::Allocation)
      isKnown = false; // it may be any of them
    else if (isKept(*load))
      kept.insert(values.ofAllocation(function.source));
  }
  if (!isKnown)
    for (const llvm::CallBase *call : slots.allocations)
      if (calls.contains(call))
        kept.insert(values.ofAllocation(calls.lookup(call)));
}

/// Collects memory of the function, and of its callers, that is kept.
void TransfersCollector::addKept() {
  const llvm::Instruction &entry = *function.getEntryBlock().begin();
  for (const llvm::Argument &argument : function.args())
    if (argument.getType()->isPointerTy() && isKept(argument))
      kept.insert(values.of(argument, entry));
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block) {
      if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
        addKeptAllocations(*variable);
        if (isKept(*variable))
          kept.insert(values.of(*variable, instruction));
        continue;
      }
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || !calls.contains(call))
        continue;
      if (call->getType()->isPointerTy() && llvm::isNoAliasCall(call) &&
          isKept(*call))
        kept.insert(values.of(*call, instruction));
      // What is allocated anywhere but in a variable of the function.
      if (std::optional<unsigned> place = allocationResult(*call)) {
        int64_t offset = 0;
        const llvm::Value *slot =
            stripOffsets(*call->getArgOperand(*place), layout, offset);
        auto *variable =
            llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(slot));
        if (!variable || !values.allocationSlots().of(*variable).isSeen)
          kept.insert(values.ofAllocation(calls.lookup(call)));
      }
    }
}

//===----------------------------------------------------------------------===//
// Storing
//===----------------------------------------------------------------------===//

static TransferEnd endOf(const llvm::BasicBlock &block) {
  const llvm::Instruction &terminator = *block.getTerminator();
  return llvm::isa<llvm::ReturnInst>(terminator)        ? TransferEnd::Returns
         : llvm::isa<llvm::ResumeInst>(terminator)      ? TransferEnd::Unwinds
         : llvm::isa<llvm::UnreachableInst>(terminator) ? TransferEnd::Stops
                                                        : TransferEnd::GoesOn;
}

/// Follows blocks without events to the next one that \p isThere.
template <typename IsThere>
static const llvm::BasicBlock *forwarded(const llvm::BasicBlock *block,
                                         IsThere isThere) {
  constexpr unsigned kMaxSteps = 1024;
  for (unsigned steps = 0; !isThere(block) && steps < kMaxSteps; ++steps)
    block = block->getSingleSuccessor();
  return block;
}

void TransfersCollector::store() {
  TransferTrim trim(context, result, reaching, library, values.all());
  trim.run(blocks);
  std::vector<TransferValue> named;
  std::vector<uint32_t> stay = trim.renumber(blocks, named);
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> defining;
  for (uint32_t value : stay)
    defining.insert(values.blocks()[value]);
  auto isThere = [&](const llvm::BasicBlock *block) {
    const llvm::BasicBlock *next = block->getSingleSuccessor();
    return block == &function.getEntryBlock() || !blocks[block].empty() ||
           !next || next == block || defining.contains(block) ||
           loops.isLoopHeader(block);
  };
  uint32_t position = 0;
  llvm::DenseMap<const llvm::BasicBlock *, uint32_t> positions;
  for (const auto &[block, list] : blocks)
    if (isThere(block)) {
      positions[block] = position;
      position += 1 + static_cast<uint32_t>(list.size());
    }
  if (position > kMaxTransferEvents || isTooLarge)
    return;
  llvm::DenseMap<const llvm::Loop *, uint32_t> numbers; // from 1
  std::vector<uint32_t> parents;
  for (const llvm::Loop *loop : loops.getLoopsInPreorder()) {
    parents.push_back(numbers.lookup(loop->getParentLoop()));
    numbers[loop] = static_cast<uint32_t>(parents.size());
  }
  std::vector<TransferEvent> events;
  for (auto &[block, list] : blocks) {
    if (!isThere(block))
      continue;
    auto here = static_cast<int32_t>(events.size());
    TransferEvent begin;
    begin.end = endOf(*block);
    begin.loop = numbers.lookup(loops.getLoopFor(block));
    const llvm::BasicBlock *launched = checkedPush(*block).second;
    for (const llvm::BasicBlock *successor : llvm::successors(block)) {
      if (launched && successor != launched)
        continue; // launches are taken to start
      auto there =
          static_cast<int32_t>(positions.lookup(forwarded(successor, isThere)));
      int32_t target = there - here;
      if (!llvm::is_contained(begin.targets, target))
        begin.targets.push_back(target);
    }
    events.push_back(std::move(begin));
    llvm::append_range(events, std::move(list));
  }
  events.front().parents = std::move(parents);
  result.transferEvents =
      lists.events.add(std::move(events), context.summary.transferEvents);
  for (auto [value, number] : llvm::zip(named, stay))
    if (const llvm::BasicBlock *block = values.blocks()[number])
      value.block = positions.lookup(block);
  if (!named.empty())
    result.transferValues =
        lists.values.add(std::move(named), context.summary.transferValues);
}

void TransfersCollector::run() {
  for (const llvm::BasicBlock &block : function)
    addBlock(block);
  addKept();
  if (!kept.empty()) {
    TransferEvent event;
    event.kind = TransferEventKind::Keeps;
    for (uint32_t value : kept)
      event.operands.push_back({value, kTransferKeeps});
    isTooLarge |= event.operands.size() > kMaxTransferOperands;
    std::vector<TransferEvent> &entry = blocks[&function.getEntryBlock()];
    entry.insert(entry.begin(), std::move(event));
  }
  store();
}

/// Returns the functions of the module that may reach the runtime.
static ReachingFunctions findReaching(const LgenContext &context,
                                      const HostLibrary &library) {
  ReachingFunctions reaching;
  llvm::DenseMap<const llvm::Function *,
                 llvm::SmallVector<const llvm::Function *, 2>>
      callersOf;
  llvm::SmallVector<const llvm::Function *, 16> queue;
  auto add = [&](const llvm::Function *function) {
    if (reaching.insert(function).second)
      queue.push_back(function);
  };
  for (size_t i = 0; i < context.bodies.size(); ++i) {
    const FunctionSummary &body = context.summary.functions[i];
    for (uint32_t number = 0; number < body.calls.count; ++number) {
      const llvm::Function *callee =
          calledFunction(*context.callInstructions[body.calls.first + number]);
      bool isHere = callee && !callee->isDeclarationForLinker();
      if (isHere)
        callersOf[callee].push_back(context.bodies[i]);
      else if (!callee || !library.contains(callee->getName()))
        add(context.bodies[i]);
    }
  }
  while (!queue.empty())
    for (const llvm::Function *caller : callersOf.lookup(queue.pop_back_val()))
      add(caller);
  return reaching;
}

void analyzeTransfers(LgenContext &context) {
  const llvm::Function *main = context.module.getFunction("main");
  bool isAsked = context.usesRuntime || (main && !main->isDeclaration());
  if (context.summary.side == Side::Device) {
    for (size_t i = 0; i < context.bodies.size(); ++i)
      if (FunctionSummary &body = context.summary.functions[i];
          context.summary.symbols[body.symbol].has(kKernel))
        addKernelOverwrites(context, *context.bodies[i], body);
    return;
  }
  if (!isAsked)
    return;
  HostLibrary library;
  TransferLists lists;
  ReachingFunctions reaching = findReaching(context, library);
  for (size_t i = 0; i < context.bodies.size(); ++i)
    if (SymbolIndex symbol = context.summary.functions[i].symbol;
        reaching.contains(context.bodies[i]) &&
        !context.summary.symbols[symbol].has(kKernelStub)) {
      TransfersCollector(context, *context.bodies[i],
                         context.summary.functions[i], reaching, library, lists)
          .run();
      analyzeSymbolSources(context, *context.bodies[i],
                           context.summary.functions[i]);
    }
}

} // namespace gpulto
