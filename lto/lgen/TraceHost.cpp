//===- TraceHost.cpp - Host code that tells what it accesses --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/lgen/TraceHost.h"

#include "ipa/runtime/OffloadEntries.h"
#include "ipa/values/RuntimeCalls.h"
#include "lto/lgen/TraceHostCalls.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpulto {
namespace {

constexpr StringLiteral kTraced = "__gpulto_traced.";

/// Whether all that happens to the address of a variable can be seen in its
/// function.
bool keepsAddress(const AllocaInst &variable) {
  SmallVector<const Value *> work = {&variable};
  SmallPtrSet<const Value *, 16> seen;
  while (!work.empty()) {
    const Value *address = work.pop_back_val();
    if (!seen.insert(address).second)
      continue;
    for (const User *user : address->users()) {
      if (isa<LoadInst, ICmpInst, LifetimeIntrinsic, MemIntrinsic>(user))
        continue;
      if (auto *store = dyn_cast<StoreInst>(user);
          store && store->getValueOperand() != address)
        continue;
      if (isa<GetElementPtrInst, PHINode, SelectInst, BitCastInst>(user)) {
        work.push_back(user);
        continue;
      }
      return false;
    }
  }
  return true;
}

/// Adds the calls to one module.
class Tracer {
public:
  explicit Tracer(Module &module)
      : module(module), layout(module.getDataLayout()),
        pointer(PointerType::getUnqual(module.getContext())),
        size(layout.getIntPtrType(module.getContext())),
        number(Type::getInt32Ty(module.getContext())) {}

  void traceFunction(Function &function, const TargetLibraryInfo &library);
  /// Defines what tells other units that \p function is traced.
  void mark(const Function &function);

private:
  bool isPrivate(const Value *address);
  void call(IRBuilder<> &builder, StringRef name, ArrayRef<Value *> arguments);
  void access(IRBuilder<> &builder, Value *address, Value *bytes, bool isStore);
  void access(IRBuilder<> &builder, Value *address, Type *type, bool isStore);
  void end(IRBuilder<> &builder, AllocaInst &variable);
  void traceVariable(AllocaInst &variable);
  void traceIntrinsic(IntrinsicInst &intrinsic);
  void traceCall(CallBase &call, const TargetLibraryInfo &library);
  void traceKnown(IRBuilder<> &builder, CallBase &call,
                  const HostFunction &known);
  void tracePointers(IRBuilder<> &builder, CallBase &call, Value *marker);
  void observe(IRBuilder<> &builder, HostObserver observer, Value *marker);
  void traceInstruction(Instruction &instruction,
                        const TargetLibraryInfo &library);
  Value *markerOf(const Function *callee);

  Module &module;
  const DataLayout &layout;
  PointerType *pointer;
  IntegerType *size, *number;
  DenseMap<const AllocaInst *, bool> variables;
};

/// Whether no copy can have touched what is at \p address, or none matters.
bool Tracer::isPrivate(const Value *address) {
  const Value *object = getUnderlyingObject(address, /*MaxLookup=*/0);
  if (auto *variable = dyn_cast<AllocaInst>(object)) {
    auto [found, isNew] = variables.try_emplace(variable, false);
    if (isNew)
      found->second = keepsAddress(*variable);
    return found->second;
  }
  auto *global = dyn_cast<GlobalVariable>(object);
  return global && global->isConstant();
}

void Tracer::call(IRBuilder<> &builder, StringRef name,
                  ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee hook = module.getOrInsertFunction(
      name, FunctionType::get(builder.getVoidTy(), types, false));
  auto *function = cast<Function>(hook.getCallee());
  function->setDoesNotThrow();
  // What is optimized around them stays as it is.
  function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly() |
                             MemoryEffects::argMemOnly(ModRefInfo::Ref));
  function->setVisibility(GlobalValue::HiddenVisibility);
  builder.CreateCall(hook, arguments)->setDoesNotThrow();
}

void Tracer::access(IRBuilder<> &builder, Value *address, Value *bytes,
                    bool isStore) {
  if (!isPrivate(address) && address->getType()->getPointerAddressSpace() == 0)
    call(builder, isStore ? "__gpulto_trace_store" : "__gpulto_trace_load",
         {address, builder.CreateZExtOrTrunc(bytes, size)});
}

void Tracer::access(IRBuilder<> &builder, Value *address, Type *type,
                    bool isStore) {
  access(
      builder, address,
      ConstantInt::get(size, layout.getTypeStoreSize(type).getKnownMinValue()),
      isStore);
}

void Tracer::end(IRBuilder<> &builder, AllocaInst &variable) {
  Value *bytes = builder.CreateZExtOrTrunc(variable.getArraySize(), size);
  uint64_t each = layout.getTypeAllocSize(variable.getAllocatedType());
  call(builder, "__gpulto_trace_end",
       {&variable, builder.CreateMul(bytes, ConstantInt::get(size, each))});
}

/// A variable whose address is known elsewhere has new contents where its scope
/// begins, if that is said, else where it is made.
void Tracer::traceVariable(AllocaInst &variable) {
  if (isPrivate(&variable))
    return;
  bool hasScope = false;
  for (User *user : variable.users())
    if (auto *lifetime = dyn_cast<LifetimeIntrinsic>(user)) {
      hasScope = true;
      IRBuilder<> builder(lifetime);
      if (lifetime->getIntrinsicID() == Intrinsic::lifetime_start)
        builder.SetInsertPoint(lifetime->getNextNode());
      builder.SetCurrentDebugLocation(lifetime->getDebugLoc());
      end(builder, variable);
    }
  if (hasScope)
    return;
  IRBuilder<> builder(variable.getNextNode());
  end(builder, variable);
}

void Tracer::traceIntrinsic(IntrinsicInst &intrinsic) {
  IRBuilder<> builder(&intrinsic);
  if (auto *transfer = dyn_cast<AnyMemTransferInst>(&intrinsic))
    access(builder, transfer->getRawSource(), transfer->getLength(), false);
  if (auto *memory = dyn_cast<AnyMemIntrinsic>(&intrinsic)) {
    access(builder, memory->getRawDest(), memory->getLength(), true);
    return;
  }
  // Some lanes of what these touch.
  switch (intrinsic.getIntrinsicID()) {
  case Intrinsic::masked_load:
    access(builder, intrinsic.getArgOperand(0), intrinsic.getType(), false);
    break;
  case Intrinsic::masked_store:
    for (bool isStore : {false, true})
      access(builder, intrinsic.getArgOperand(1),
             intrinsic.getArgOperand(0)->getType(), isStore);
    break;
  default:
    break;
  }
}

Value *Tracer::markerOf(const Function *callee) {
  if (!callee)
    return ConstantPointerNull::get(pointer);
  std::string name = (kTraced + callee->getName()).str();
  if (GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  auto *marker = new GlobalVariable(
      module, Type::getInt8Ty(module.getContext()), /*isConstant=*/true,
      GlobalValue::ExternalWeakLinkage, nullptr, name);
  marker->setVisibility(GlobalValue::HiddenVisibility);
  return marker;
}

void Tracer::mark(const Function &function) {
  auto *byte = Type::getInt8Ty(module.getContext());
  auto *marker = new GlobalVariable(
      module, byte, /*isConstant=*/true, GlobalValue::WeakODRLinkage,
      ConstantInt::get(byte, 1), kTraced + function.getName());
  marker->setVisibility(GlobalValue::HiddenVisibility);
}

void Tracer::traceKnown(IRBuilder<> &builder, CallBase &site,
                        const HostFunction &known) {
  for (const HostOperand &operand : known.operands) {
    int arguments = static_cast<int>(site.arg_size());
    if (std::max({operand.pointer, operand.size, operand.count}) >= arguments)
      return;
    Value *address = site.getArgOperand(operand.pointer);
    Value *bytes = nullptr;
    if (operand.size >= 0)
      bytes = builder.CreateZExtOrTrunc(site.getArgOperand(operand.size), size);
    if (operand.count >= 0)
      bytes = builder.CreateMul(
          bytes,
          builder.CreateZExtOrTrunc(site.getArgOperand(operand.count), size));
    switch (operand.access) {
    case HostAccess::Load:
    case HostAccess::Store:
      access(builder, address, bytes, operand.access == HostAccess::Store);
      break;
    case HostAccess::LoadString:
      if (!isPrivate(address))
        call(builder, "__gpulto_trace_load_string", {address});
      break;
    case HostAccess::End:
      call(builder, "__gpulto_trace_end", {address, bytes});
      break;
    case HostAccess::Free:
    case HostAccess::Reallocate:
      call(builder, "__gpulto_trace_free",
           {address, ConstantInt::get(number, operand.access ==
                                                  HostAccess::Reallocate)});
      break;
    }
  }
}

/// The pointers that a function gets which may not be traced.
void Tracer::tracePointers(IRBuilder<> &builder, CallBase &site,
                           Value *marker) {
  for (unsigned i = 0; i < site.arg_size(); ++i) {
    Value *argument = site.getArgOperand(i);
    if (argument->getType() != pointer || isa<ConstantPointerNull>(argument) ||
        isa<Function>(argument) || site.doesNotAccessMemory(i) ||
        isPrivate(argument))
      continue;
    call(builder, "__gpulto_trace_pointer",
         {argument, ConstantInt::get(number, site.onlyReadsMemory(i)), marker});
  }
}

void Tracer::observe(IRBuilder<> &builder, HostObserver observer,
                     Value *marker) {
  if (observer != HostObserver::None)
    call(builder, "__gpulto_trace_observe",
         {ConstantInt::get(number, static_cast<int>(observer)), marker});
}

void Tracer::traceCall(CallBase &site, const TargetLibraryInfo &library) {
  if (site.isInlineAsm())
    return;
  const Function *callee = calledFunction(site);
  if (callee && !callee->isDeclaration())
    return;
  StringRef name = callee ? callee->getName() : "";
  IRBuilder<> builder(&site);
  Value *null = ConstantPointerNull::get(pointer);
  if (isCudaFunction(name)) {
    if (mayWait(name) && !site.use_empty())
      observe(builder, HostObserver::ErrorCode, null);
    return;
  }
  if (const HostFunction *known = findHostFunction(name)) {
    traceKnown(builder, site, *known);
    observe(builder, observerOf(name, true), null);
    return;
  }
  LibFunc function;
  HostObserver observer =
      observerOf(name, callee && library.getLibFunc(*callee, function));
  Value *marker =
      markerOf(observer == HostObserver::Untraced ? callee : nullptr);
  tracePointers(builder, site, marker);
  observe(builder, observer, marker);
}

void Tracer::traceInstruction(Instruction &instruction,
                              const TargetLibraryInfo &library) {
  IRBuilder<> builder(&instruction);
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    access(builder, load->getPointerOperand(), load->getType(), false);
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    access(builder, store->getPointerOperand(),
           store->getValueOperand()->getType(), true);
  } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(&instruction)) {
    // Their second operand is of the type that is exchanged.
    for (bool isStore : {false, true})
      access(builder, instruction.getOperand(0),
             instruction.getOperand(1)->getType(), isStore);
  } else if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
    traceIntrinsic(*intrinsic);
  } else if (auto *site = dyn_cast<CallBase>(&instruction)) {
    traceCall(*site, library);
  } else if (auto *variable = dyn_cast<AllocaInst>(&instruction)) {
    traceVariable(*variable);
  }
}

void Tracer::traceFunction(Function &function,
                           const TargetLibraryInfo &library) {
  // The places that call CUDA are found on the stack.
  function.addFnAttr("disable-tail-calls", "true");
  SmallVector<Instruction *> all;
  for (Instruction &instruction : instructions(function))
    all.push_back(&instruction);
  // Before calls are added that get addresses.
  for (Instruction *instruction : all)
    if (auto *variable = dyn_cast<AllocaInst>(instruction))
      (void)isPrivate(variable);
  for (Instruction *instruction : all)
    traceInstruction(*instruction, library);
}

/// Code that clang makes for launches and registration.
bool isOfCuda(const Function &function) {
  StringRef name = function.getName();
  return isStubName(name) || name.starts_with("__cuda_") ||
         name.starts_with(".") || name.starts_with("__gpulto");
}

} // namespace

bool traceHost(Module &module,
               function_ref<const TargetLibraryInfo &(Function &)> libraryOf) {
  constexpr StringLiteral kDone = "gpulto.traced";
  if (module.getNamedMetadata(kDone))
    return false;
  module.getOrInsertNamedMetadata(kDone);
  SmallVector<Function *> functions;
  for (Function &function : module)
    if (!function.isDeclaration() && !isOfCuda(function) &&
        !function.hasAvailableExternallyLinkage() &&
        !function.hasFnAttribute(Attribute::Naked))
      functions.push_back(&function);
  Tracer tracer(module);
  for (Function *function : functions)
    tracer.traceFunction(*function, libraryOf(*function));
  for (Function *function : functions)
    if (function->hasExternalLinkage() || function->hasWeakODRLinkage())
      tracer.mark(*function);
  return true;
}

} // namespace gpulto
