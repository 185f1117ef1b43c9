//===- EffectsAnalyze.cpp - What bodies touch (LGEN)
//-----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find which symbols a body reads, writes and lets escape, which kinds of
// memory it touches, and what it does with the memory that its parameters lead
// to. Effects of callees are left out if an edge says what they get:
// whole-program analysis adds them.
//
//  1. Every operand that mentions a symbol becomes a reference; loads, stores,
//     memory intrinsics and address computations that end in such accesses are
//     distinguished from escapes (useOf).
//  2. Memory accesses are classified by the object they are based on (touch);
//     so are those of calls whose attributes say what they touch.
//  3. Whether a body may throw, loop forever, free or synchronize
//     (addControlEffects).
//  4. Pointer parameters are followed to their uses (followParameter), and so
//     are pointers in aggregates that kernels get by value (followMembers).
//
// A launch mentions its stub as handle; that is a read, not an escape. Runtime
// functions that read or set attributes of a kernel are distinguished from
// those that might launch it (attributeUse). Linear in operands; uses of one
// pointer are followed to kMaxUses.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Identities.h"
#include "ipa/bodies/MemoryOrder.h"
#include "ipa/bodies/Passes.h"
#include "ipa/bodies/PointerAccesses.h"
#include "ipa/callers/HandleUses.h"
#include "ipa/runtime/CudaRuntime.h"
#include "ipa/values/DerivedPointer.h"
#include "ipa/values/HandleTables.h"
#include "ipa/values/RuntimeCalls.h"
#include "ipa/values/VariableWrites.h"
#include "summary/ModuleSummary.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <map>

namespace gpulto {

namespace {

constexpr unsigned kMaxUses = 256;

/// What one use does with the memory behind the pointer.
enum Access : unsigned {
  kNothing = 0,
  kRead = 1,
  kWrite = 2,
  kEscape = 4,
  /// The use computes another pointer: its uses count.
  kDerived = 8,
  /// Passed on unchanged to a known callee: an edge says what becomes of it.
  kPassedOn = 16,
  /// The pointer is called: no escape of a parameter's, but the function that
  /// it points to has an indirect caller.
  kIndirectCall = 32,
  kCompare = 64,
  /// It is compared with the address of something else.
  kTellApart = 128,
};

unsigned accessOfCallArgument(const llvm::CallBase &call,
                              const llvm::Use &use) {
  if (call.isCallee(&use))
    return kIndirectCall;
  if (!call.isArgOperand(&use))
    return kEscape; // an operand bundle
  unsigned index = call.getArgOperandNo(&use);
  if (call.isLifetimeStartOrEnd() || call.isDroppable() ||
      llvm::isa<llvm::DbgInfoIntrinsic>(call))
    return kNothing;
  if (auto *memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&call)) {
    auto *plain = llvm::dyn_cast<llvm::MemIntrinsic>(memory);
    if (plain && plain->isVolatile())
      return kRead | kWrite;
    return index == 0 ? kWrite : kRead;
  }
  if (call.isByValArgument(index))
    return kRead;
  if (CopyAccess copy = copyAccess(call, index); copy != CopyAccess::None)
    return copy == CopyAccess::Reads ? kRead : kWrite;
  if (allocationResult(call) == index)
    return kWrite;
  const llvm::Function *callee = call.getCalledFunction();
  if (callee && !callee->isIntrinsic())
    return kPassedOn;
  unsigned access = call.doesNotCapture(index) ? kNothing : kEscape;
  if (call.doesNotAccessMemory(index) || call.doesNotAccessMemory())
    return access;
  if (!call.onlyWritesMemory(index))
    access |= kRead;
  if (!call.onlyReadsMemory(index))
    access |= kWrite;
  return access;
}

/// Returns what \p use does with the pointer it uses. A volatile access, and an
/// atomic one that is ordered at all, both reads and writes, as LLVM has it:
/// another thread may change between two calls what they read.
unsigned accessOf(const llvm::Use &use) {
  auto *user = llvm::cast<llvm::Instruction>(use.getUser());
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
    return accessOfCallArgument(*call, use);
  switch (user->getOpcode()) {
  case llvm::Instruction::Load:
    return user->mayWriteToMemory() ? kRead | kWrite : kRead;
  case llvm::Instruction::Store:
    if (use.getOperandNo() != llvm::StoreInst::getPointerOperandIndex())
      return kEscape;
    return user->mayReadFromMemory() ? kRead | kWrite : kWrite;
  case llvm::Instruction::AtomicRMW:
  case llvm::Instruction::AtomicCmpXchg:
    return use.getOperandNo() == 0 ? kRead | kWrite : kEscape;
  case llvm::Instruction::ICmp:
    return kCompare | (mayTellApart(*user) ? kTellApart : kNothing);
  case llvm::Instruction::GetElementPtr:
    return use.getOperandNo() == 0 ? kDerived : kEscape;
  case llvm::Instruction::BitCast:
  case llvm::Instruction::AddrSpaceCast:
  case llvm::Instruction::PHI:
  case llvm::Instruction::Select:
    return kDerived;
  default:
    return kEscape;
  }
}

class EffectsCollector {
public:
  EffectsCollector(LgenContext &context, llvm::Function &function,
                   FunctionSummary &result)
      : context(context), summary(context.summary), function(function),
        result(result), handlePaths(context, result) {}

  void run() {
    addControlEffects();
    followMembers();
    for (const llvm::BasicBlock &block : function)
      for (const llvm::Instruction &instruction : block) {
        for (const llvm::Use &operand : instruction.operands())
          if (auto *constant = llvm::dyn_cast<llvm::Constant>(operand.get()))
            visitConstant(*constant, operand);
        addEffects(instruction);
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
            call && summary.side == Side::Host)
          handlePaths.markResult(*call);
      }
    if (function.hasPersonalityFn())
      forEachGlobal(*function.getPersonalityFn(),
                    [&](const llvm::GlobalValue &value, bool) {
                      addReference(value, kReads);
                    });
    if (auto named = context.assemblyNames.find(&function);
        named != context.assemblyNames.end())
      for (SymbolIndex symbol : named->second)
        references[symbol] |= kReads | kWrites | kTakesAddress;
    for (const llvm::Argument &argument : function.args())
      followParameter(argument);
    if (summary.side == Side::Host)
      handlePaths.describeMemory(function);
    storeReferences();
    storeMembers();
    result.handleFlows = handlePaths.store();
  }

private:
  void visitConstant(const llvm::Constant &constant, const llvm::Use &use);
  ReferenceFlags useOf(const llvm::Use &use);
  bool readsHandlesOnly(const llvm::Use &use);
  void visitFields(const llvm::ConstantStruct &constant, const llvm::Use &use);
  void addReference(const llvm::GlobalValue &value, ReferenceFlags flags);
  void addControlEffects();
  void addEffects(const llvm::Instruction &instruction);
  void addCallEffects(const llvm::CallBase &call);
  void addKnownEffects(const llvm::CallBase &call);
  void touch(const llvm::Value &pointer, bool reads, bool writes);
  void touchOther(bool reads, bool writes) {
    result.memoryEffects |= (reads ? kReadsOther | kLoadsOther : 0u) |
                            (writes ? kWritesOther | kStoresOther : 0);
    storesElsewhere |= writes;
  }
  /// Records that other threads' accesses may be ordered against ours here: for
  /// code that cannot see the body, the same as a read and a write anywhere.
  void orderMemory() {
    result.memoryEffects |= kSynchronizes | kReadsOther | kWritesOther;
  }
  bool ordersMemory(const llvm::Instruction &access) const;
  bool isTold(const llvm::Value &pointer, const llvm::Value &origin) const;
  unsigned follow(const llvm::Value &pointer, bool &isPassedOnDerived,
                  const llvm::Value *origin = nullptr);
  unsigned accessThrough(const llvm::Value &pointer);
  void followParameter(const llvm::Argument &argument);
  void followMembers();
  void storeMembers();
  void measureReach(const llvm::Argument &argument, ParameterRecord &record);
  void storeReferences();

  LgenContext &context;
  ModuleSummary &summary;
  llvm::Function &function;
  FunctionSummary &result;
  HandlePaths handlePaths;
  llvm::SmallMapVector<SymbolIndex, ReferenceFlags, 16> references;
  /// Loads of the pointers in `members`. Looked up only.
  llvm::SmallPtrSet<const llvm::Value *, 16> memberLoads;
  std::map<std::pair<uint32_t, uint32_t>, unsigned> members;
  bool storesElsewhere = false;
};

void EffectsCollector::addReference(const llvm::GlobalValue &value,
                                    ReferenceFlags flags) {
  SymbolIndex symbol = context.indexOf(value);
  if (symbol == kNone)
    return;
  references[symbol] |= flags;
  // Whose attributes are read or set is not to be folded or replaced either.
  if (flags & (kTakesAddress | kQueriesHandle | kSetsHandle | kPassesHandle |
               kNamesVariable))
    summary.symbols[symbol].flags |= kAddressTaken;
}

/// How the operand \p use, which mentions a symbol, uses it.
ReferenceFlags EffectsCollector::useOf(const llvm::Use &use) {
  unsigned access = accessOf(use);
  if (access & kDerived) {
    bool isPassedOn = false;
    access = follow(*use.getUser(), isPassedOn);
    if (isPassedOn)
      access |= kEscape;
  }
  if (access & (kPassedOn | kIndirectCall))
    access |= kEscape;
  ReferenceFlags flags = 0;
  if (access & kRead)
    flags |= kReads;
  if (access & kWrite)
    flags |= kWrites;
  // Addresses matter where they escape; those of constants, which equal ones
  // could stand for, also where they are compared. What is declared may be one.
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(
      llvm::getUnderlyingObject(use.get()));
  if ((access & kEscape) ||
      ((access & kTellApart) && variable &&
       (variable->isConstant() || variable->isDeclaration())))
    flags |= kTakesAddress;
  return flags;
}

static JumpFunction symbolHandle(JumpFunction::Kind kind, SymbolIndex symbol) {
  JumpFunction handle;
  handle.kind = kind;
  handle.source = symbol;
  return handle;
}

/// Whether what is read through the operand \p use, which mentions a variable,
/// are handles that are followed. A store reads nothing.
bool EffectsCollector::readsHandlesOnly(const llvm::Use &use) {
  if (summary.side == Side::Device)
    return false;
  const llvm::User *user = use.getUser();
  if (llvm::isa<llvm::GetElementPtrInst>(user))
    return llvm::all_of(user->uses(), [&](const llvm::Use &next) {
      return readsHandlesOnly(next);
    });
  if (llvm::isa<llvm::StoreInst>(user))
    return use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex();
  if (handlePaths.followCopy(use))
    return true;
  const llvm::GlobalVariable *variable = handleVariableOf(*user);
  SymbolIndex symbol = variable ? context.indexOf(*variable) : kNone;
  if (symbol != kNone &&
      handlePaths.followAll(
          *user, symbolHandle(JumpFunction::Kind::LoadVariable, symbol)))
    return true;
  auto *load = llvm::dyn_cast<llvm::LoadInst>(user);
  return load && load->isSimple() && handlePaths.readBeside(*load);
}

/// Whether what \p use, the address of a variable's bytes, is used for is among
/// FunctionSummary::variableStores.
static bool isPlainStore(const llvm::Use &use) {
  auto *user = llvm::cast<llvm::Instruction>(use.getUser());
  auto *call = llvm::dyn_cast<llvm::CallBase>(user);
  bool isPlace =
      call
          ? call->isArgOperand(&use) &&
                allocationResult(*call) == call->getArgOperandNo(&use)
          : llvm::isa<llvm::StoreInst>(user) &&
                use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex();
  return isPlace && variableWrite(*user);
}

/// Whether \p use, an operand of \p call, names a variable of the device to a
/// copy.
static bool namesVariable(const llvm::CallBase &call, const llvm::Use &use) {
  const RuntimeFunction *copy = symbolCopy(call);
  return copy && call.isArgOperand(&use) &&
         copy->symbolOperand() == int(call.getArgOperandNo(&use));
}

/// Visits \p constant, the value of \p use: its fields may be handles.
void EffectsCollector::visitFields(const llvm::ConstantStruct &constant,
                                   const llvm::Use &use) {
  for (const auto &[element, field] : llvm::enumerate(constant.operands())) {
    auto *handle = llvm::dyn_cast<llvm::Function>(field.get());
    SymbolIndex symbol = handle ? context.indexOf(*handle) : kNone;
    bool isFollowed =
        symbol != kNone &&
        handlePaths.followElement(
            use, element,
            symbolHandle(JumpFunction::Kind::SymbolAddress, symbol));
    forEachGlobal(*llvm::cast<llvm::Constant>(field.get()),
                  [&](const llvm::GlobalValue &value, bool isBlock) {
                    if (!isBlock)
                      addReference(value,
                                   isFollowed ? kPassesHandle : kTakesAddress);
                  });
  }
}

void EffectsCollector::visitConstant(const llvm::Constant &constant,
                                     const llvm::Use &use) {
  if (llvm::isa<llvm::ConstantData>(constant))
    return;
  if (auto *fields = llvm::dyn_cast<llvm::ConstantStruct>(&constant);
      fields && summary.side == Side::Host)
    return visitFields(*fields, use);
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  auto *global =
      llvm::dyn_cast<llvm::GlobalValue>(constant.stripPointerCasts());
  if (call && call->isCallee(&use) && global)
    return; // a call edge, or an intrinsic
  if (call && global) {
    std::optional<LaunchKind> kind = launchKindOf(*call);
    if (kind && llvm::isa<llvm::Function>(global) && call->isArgOperand(&use) &&
        call->getArgOperandNo(&use) == handleOperand(*kind)) {
      // Device code launches by address: all such code is in one partition.
      if (kind == LaunchKind::Device && context.indexOf(*global) != kNone)
        summary.symbols[context.indexOf(*global)].flags |= kAddressTaken;
      return addReference(*global, kReads);
    }
    if (summary.side == Side::Host && llvm::isa<llvm::Function>(global))
      if (ReferenceFlags flags = attributeUse(use))
        return addReference(*global, flags);
    if (call->isInlineAsm() && context.indexOf(*global) != kNone)
      summary.symbols[context.indexOf(*global)].flags |= kAssemblyReferenced;
  }
  if (call && global && summary.side == Side::Host && namesVariable(*call, use))
    return addReference(*global, kNamesVariable);
  if (summary.side == Side::Host &&
      llvm::isa_and_nonnull<llvm::Function>(global) &&
      context.indexOf(*global) != kNone &&
      !llvm::isa<llvm::ICmpInst>(use.getUser()) &&
      handlePaths.follow(use, symbolHandle(JumpFunction::Kind::SymbolAddress,
                                           context.indexOf(*global))))
    return addReference(*global, kPassesHandle);
  ReferenceFlags flags = kTakesAddress;
  bool isAddress = constant.getType()->isPointerTy();
  if (isAddress)
    flags = useOf(use);
  if (summary.side == Side::Host && isPlainStore(use))
    flags = kWrites;
  else if (flags & kWrites)
    flags |= kWritesUnknown;
  if ((flags & kReads) && !readsHandlesOnly(use))
    flags |= kReadsValue;
  forEachGlobal(constant, [&](const llvm::GlobalValue &value, bool isBlock) {
    if (!isBlock)
      addReference(value, flags);
  });
}

/// Whether \p pointer is \p origin plus a constant, as jump functions have it.
static bool isAtDistance(const llvm::Value &pointer,
                         const llvm::Value &origin) {
  const llvm::Value *base = &pointer;
  while (base != &origin) {
    auto *address = llvm::dyn_cast<llvm::GEPOperator>(base);
    if (!address || !address->hasAllConstantIndices())
      return false;
    base = address->getPointerOperand();
  }
  return true;
}

/// Whether the edge of a call that gets \p pointer says that it leads to the
/// memory behind \p origin, a parameter or a loaded member of one. The host's
/// must say where: it may be a variable of a caller of which parts are known.
bool EffectsCollector::isTold(const llvm::Value &pointer,
                              const llvm::Value &origin) const {
  if (isAtDistance(pointer, origin))
    return true;
  auto *argument = llvm::dyn_cast<llvm::Argument>(&origin);
  bool isPointer = argument ? !argument->hasPassPointeeByValueCopyAttr()
                            : memberLoads.contains(&origin);
  if (summary.side == Side::Host || !isPointer)
    return false;
  std::optional<DerivedPointer> from =
      derivationOf(pointer, context.module.getDataLayout());
  return from && from->base == &origin;
}

/// Unites what all uses of \p pointer do; \p isPassedOnDerived is set when one
/// hands it to a callee and no edge tells that it is of \p origin.
unsigned EffectsCollector::follow(const llvm::Value &pointer,
                                  bool &isPassedOnDerived,
                                  const llvm::Value *origin) {
  unsigned access = kNothing, uses = 0;
  llvm::SmallVector<const llvm::Value *, 8> stack{&pointer};
  llvm::SmallPtrSet<const llvm::Value *, 8> visited;
  while (!stack.empty()) {
    const llvm::Value *next = stack.pop_back_val();
    if (!visited.insert(next).second)
      continue;
    for (const llvm::Use &use : next->uses()) {
      if (++uses > kMaxUses)
        return kRead | kWrite | kEscape | kCompare | kTellApart;
      unsigned one = accessOf(use);
      if (one & kDerived)
        stack.push_back(use.getUser());
      if (one & kPassedOn)
        isPassedOnDerived |= !origin || !isTold(*next, *origin);
      access |= one & (kRead | kWrite | kEscape | kIndirectCall | kCompare |
                       kTellApart);
    }
  }
  return access;
}

/// Sets how far the body reaches behind the pointer \p argument.
void EffectsCollector::measureReach(const llvm::Argument &argument,
                                    ParameterRecord &record) {
  std::optional<MemoryUses> uses =
      memoryUses(argument, context.module.getDataLayout());
  if (!uses)
    return;
  uint64_t reach = 0;
  bool isPassedOn = false;
  for (const MemoryUse &use : *uses) {
    reach = std::max(reach, use.begin + use.size);
    if (use.kind != MemoryUse::Kind::Passed)
      continue;
    isPassedOn = true;
    auto &call = llvm::cast<llvm::CallBase>(*use.user);
    if (!isAtDistance(*call.getArgOperand(use.argument), argument))
      return;
  }
  if (reach >= kNone)
    return;
  record.ownReachBytes = static_cast<uint32_t>(reach);
  if (!isPassedOn)
    record.reachBytes = record.ownReachBytes;
}

/// Joins the effects of all uses of \p pointer, except calls described by
/// edges.
unsigned EffectsCollector::accessThrough(const llvm::Value &pointer) {
  unsigned access = kNothing, uses = 0;
  for (const llvm::Use &use : pointer.uses()) {
    if (++uses > kMaxUses)
      return kRead | kWrite | kEscape | kCompare;
    unsigned one = accessOf(use);
    bool isPassedOn = false;
    if (one & kDerived) {
      one |= follow(*use.getUser(), isPassedOn, &pointer);
      if (isPassedOn)
        one |= kRead | kWrite | kEscape | kCompare;
    }
    access |= one;
  }
  return access;
}

static uint32_t parameterFlagsOf(unsigned access) {
  uint32_t flags = 0;
  if (access & kRead)
    flags |= kParamMayRead;
  if (access & kWrite)
    flags |= kParamMayWrite;
  if (access & kEscape)
    flags |= kParamMayEscape;
  return flags;
}

/// Finds what a kernel does with the pointers that it loads from aggregates
/// passed by value. In a copy that something may write, they are any pointers.
void EffectsCollector::followMembers() {
  constexpr size_t kMaxMembers = 64;
  if (!summary.symbols[result.symbol].has(kKernel))
    return;
  for (llvm::Argument &argument : function.args()) {
    if (!argument.hasByValAttr())
      continue;
    const llvm::DataLayout &layout = context.module.getDataLayout();
    uint64_t bytes = layout.getTypeAllocSize(argument.getParamByValType());
    PartLoads parts = loadsOfParts(argument, layout);
    for (auto [load, offset] : parts.loads) {
      std::optional<PartOffset> part = PartOffset::of(offset);
      if (!part)
        continue;
      std::pair<uint32_t, uint32_t> place(argument.getArgNo(), *part);
      bool isMember = parts.isReadOnly && load->getType()->isPointerTy() &&
                      offset + layout.getPointerSize() <= bytes &&
                      (members.size() < kMaxMembers || members.count(place));
      if (!isMember)
        continue;
      memberLoads.insert(load);
      members[place] |= accessThrough(*load);
    }
  }
}

void EffectsCollector::storeMembers() {
  if (members.empty())
    return;
  if (storesElsewhere)
    result.memoryEffects |= kStoresElsewhere;
  result.members = {static_cast<uint32_t>(summary.members.size()),
                    static_cast<uint32_t>(members.size())};
  for (auto [place, access] : members)
    summary.members.push_back(
        {place.first, place.second, parameterFlagsOf(access)});
}

void EffectsCollector::followParameter(const llvm::Argument &argument) {
  if (!argument.getType()->isPointerTy())
    return;
  ParameterRecord &record =
      summary.parameters[result.parameters.first + argument.getArgNo()];
  if (summary.side == Side::Host) {
    handlePaths.markParameter(argument);
    measureReach(argument, record);
  }
  if (argument.use_empty())
    return;
  unsigned access = accessThrough(argument);
  // Stored, but forgotten when the call returns: code that finds it until then
  // may do both.
  if ((access & kEscape) && argument.hasNoCaptureAttr())
    access |= kRead | kWrite;
  // LLVM's attributes include callees: they can only narrow.
  if (argument.onlyReadsMemory())
    access &= ~unsigned(kWrite);
  if (argument.hasAttribute(llvm::Attribute::WriteOnly) ||
      argument.hasAttribute(llvm::Attribute::ReadNone))
    access &= ~unsigned(kRead);
  if (argument.hasNoCaptureAttr())
    access &= ~unsigned(kEscape | kCompare);
  record.flags |= parameterFlagsOf(access);
  if (access & kCompare)
    record.flags |= kParamMayCompare;
}

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

void EffectsCollector::touch(const llvm::Value &pointer, bool reads,
                             bool writes) {
  const llvm::Value *base = llvm::getUnderlyingObject(&pointer);
  auto add = [&](MemoryEffect read, MemoryEffect write) {
    result.memoryEffects |=
        (reads ? uint32_t(read) : 0) | (writes ? uint32_t(write) : 0);
  };
  if (llvm::isa<llvm::AllocaInst>(base))
    return;
  if (llvm::isa<llvm::Argument>(base)) {
    add(kReadsArguments,
        kWritesArguments); // a by-value one, too, as LLVM has it
    return;
  }
  if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
    if (context.indexOf(*variable) == kNone) // no reference tells which
      return touchOther(reads, writes);
    // WPA sees whether what is declared is a constant.
    if (!variable->isConstant() || variable->isDeclaration() || writes)
      add(kReadsGlobals, kWritesGlobals);
    return;
  }
  if (memberLoads.contains(base))
    return add(static_cast<MemoryEffect>(kReadsOther | kLoadsOther),
               static_cast<MemoryEffect>(kWritesOther | kStoresOther));
  touchOther(reads, writes);
}

bool isSynchronizingName(llvm::StringRef intrinsic) {
  if (!intrinsic.consume_front("llvm.nvvm."))
    return false;
  for (llvm::StringRef prefix : {"barrier", "bar.", "membar", "fence",
                                 "mbarrier", "cp.async", "bar.warp"})
    if (intrinsic.starts_with(prefix))
      return true;
  return false;
}

/// Whether \p call is an intrinsic that orders memory accesses and makes none:
/// it gets no address.
static bool isBarrier(const llvm::CallBase &call) {
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  return intrinsic &&
         isSynchronizingName(intrinsic->getCalledFunction()->getName()) &&
         llvm::none_of(call.args(), [](const llvm::Use &operand) {
           return operand->getType()->isPointerTy();
         });
}

void EffectsCollector::addCallEffects(const llvm::CallBase &call) {
  if (call.isInlineAsm()) {
    llvm::StringRef text =
        llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString();
    for (llvm::StringRef word : {"bar.", "barrier", "membar", "fence", "mfence",
                                 "atom.", "red.", "lock"})
      if (text.contains(word))
        orderMemory();
    if (!call.doesNotAccessMemory())
      touchOther(!call.onlyWritesMemory(), !call.onlyReadsMemory());
    if (llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->hasSideEffects())
      result.memoryEffects |=
          kReadsInaccessible | kWritesInaccessible | kSynchronizes | kFrees;
    return;
  }
  if (isCallEdge(call)) { // the edge tells the rest
    if (call.getMemoryEffects() != llvm::MemoryEffects::unknown())
      addKnownEffects(call);
    return;
  }
  const llvm::Function *callee = call.getCalledFunction();
  if (llvm::isa<llvm::DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd() ||
      call.isDroppable())
    return;
  llvm::MemoryEffects effects = call.getMemoryEffects();
  auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&call);
  bool isQuiet = effects.doesNotAccessMemory() ||
                 call.hasFnAttr(llvm::Attribute::NoSync) ||
                 (copy && !copy->isVolatile());
  if (!isQuiet || isSynchronizingName(callee->getName()))
    result.memoryEffects |= kSynchronizes;
  if (!call.hasFnAttr(llvm::Attribute::NoFree))
    result.memoryEffects |= kFrees;
  addKnownEffects(call);
}

/// Adds what the attributes of \p call say it does to memory.
void EffectsCollector::addKnownEffects(const llvm::CallBase &call) {
  llvm::MemoryEffects effects = call.getMemoryEffects();
  if (effects.doesNotAccessMemory())
    return;
  using Location = llvm::IRMemLocation;
  llvm::ModRefInfo other = effects.getModRef(Location::Other) |
                           effects.getModRef(Location::ErrnoMem);
  if (isBarrier(call))
    orderMemory();
  else
    touchOther(llvm::isRefSet(other), llvm::isModSet(other));
  llvm::ModRefInfo hidden = effects.getModRef(Location::InaccessibleMem) |
                            effects.getModRef(Location::TargetMem0) |
                            effects.getModRef(Location::TargetMem1);
  if (llvm::isRefSet(hidden))
    result.memoryEffects |= kReadsInaccessible;
  if (llvm::isModSet(hidden))
    result.memoryEffects |= kWritesInaccessible;
  llvm::ModRefInfo arguments = effects.getModRef(Location::ArgMem);
  for (const llvm::Use &operand : call.args()) {
    if (!operand->getType()->isPointerTy())
      continue;
    unsigned index = call.getArgOperandNo(&operand);
    if (call.doesNotAccessMemory(index))
      continue;
    bool isCopied = call.isByValArgument(index);
    touch(*operand,
          isCopied ||
              (llvm::isRefSet(arguments) && !call.onlyWritesMemory(index)),
          !isCopied && llvm::isModSet(arguments) &&
              !call.onlyReadsMemory(index));
  }
}

/// What depends on the shape of the body. Irreducible cycles count as loops.
void EffectsCollector::addControlEffects() {
  if (function.mustProgress())
    result.memoryEffects |= kMustProgress;
  llvm::SmallVector<
      std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>, 8>
      backEdges;
  llvm::FindFunctionBackedges(function, backEdges);
  if (!backEdges.empty())
    result.memoryEffects |= kMayNotReturn;
}

/// Whether callers must take \p access, no call, for one that makes other
/// threads' accesses visible. In a kernel, which nobody calls, LLVM moves
/// nothing over an ordered atomic that it sees, `noalias` or not; what a
/// volatile access waits for it does not know.
bool EffectsCollector::ordersMemory(const llvm::Instruction &access) const {
  bool isKernel = summary.symbols[result.symbol].has(kKernel);
  return ordersThreads(access) && (access.isVolatile() || !isKernel);
}

void EffectsCollector::addEffects(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || !isCallEdge(*call)) {
    if (instruction.mayThrow())
      result.memoryEffects |= kUnwinds;
    if (!instruction.willReturn())
      result.memoryEffects |= kMayNotReturn;
  }
  if (!instruction.mayReadOrWriteMemory())
    return;
  if (call)
    return addCallEffects(*call);
  if (instruction.isVolatile())
    result.memoryEffects |=
        kReadsInaccessible | kWritesInaccessible | kSynchronizes;
  if (instruction.isAtomic())
    result.memoryEffects |= kSynchronizes;
  if (ordersMemory(instruction))
    orderMemory();
  bool reads = instruction.mayReadFromMemory(); // see accessOf
  bool writes = instruction.mayWriteToMemory();
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Load:
  case llvm::Instruction::AtomicRMW:
  case llvm::Instruction::AtomicCmpXchg:
    return touch(*instruction.getOperand(0), reads, writes);
  case llvm::Instruction::Store:
    return touch(*instruction.getOperand(1), reads, writes);
  case llvm::Instruction::Fence:
    return orderMemory();
  default:
    return touchOther(true, true);
  }
}

void EffectsCollector::storeReferences() {
  if (references.empty())
    return;
  auto list = references.takeVector();
  llvm::sort(list, llvm::less_first());
  result.references = {static_cast<uint32_t>(summary.references.size()),
                       static_cast<uint32_t>(list.size())};
  for (auto [symbol, flags] : list)
    summary.references.push_back({symbol, flags});
}

} // namespace

void analyzeEffects(LgenContext &context) {
  for (size_t i = 0; i < context.bodies.size(); ++i)
    EffectsCollector(context, *context.bodies[i], context.summary.functions[i])
        .run();
  // Code that has the address of an alias has that of its target.
  for (const AliasSummary &alias : context.summary.aliases)
    if (alias.target != kNone &&
        context.summary.symbols[alias.symbol].has(kAddressTaken))
      context.summary.symbols[alias.target].flags |= kAddressTaken;
}

} // namespace gpulto
