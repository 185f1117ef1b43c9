//===- ManagedVariables.cpp - __managed__ variables -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/lgen/ManagedVariables.h"

#include "ipa/runtime/KernelAnnotations.h"
#include "ipa/runtime/OffloadEntries.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <vector>

using namespace llvm;

namespace gpulto {

static std::vector<GlobalVariable *> findManaged(Module &module) {
  std::vector<GlobalVariable *> found;
  for (GlobalVariable &variable : module.globals())
    if (variable.getSection() == kManagedSection)
      found.push_back(&variable);
  return found;
}

bool markManaged(Module &module) {
  std::vector<GlobalVariable *> managed = findManaged(module);
  for (GlobalVariable *variable : managed) {
    variable->setSection("");
    variable->addAttribute(kManagedAttribute);
  }
  return !managed.empty();
}

void declareManaged(Module &module) {
  LLVMContext &context = module.getContext();
  if (NamedMDNode *earlier = module.getNamedMetadata("nvvm.annotations"))
    earlier->eraseFromParent(); // of code that was generated to be compared
  for (GlobalVariable &variable : module.globals()) {
    if (!variable.hasAttribute(kManagedAttribute))
      continue;
    Metadata *operands[] = {ConstantAsMetadata::get(&variable),
                            MDString::get(context, "managed"),
                            ConstantAsMetadata::get(ConstantInt::get(
                                Type::getInt32Ty(context), 1))};
    module.getOrInsertNamedMetadata("nvvm.annotations")
        ->addOperand(MDNode::get(context, operands));
  }
}

namespace {

/// Runs right behind the registration of device code, whose priority is 101.
constexpr int kConstructorPriority = 102;

/// The host's half of a module with managed variables.
class HostRewriter {
public:
  HostRewriter(Module &module, ArrayRef<GlobalVariable *> managed)
      : module(module), context(module.getContext()), managed(managed),
        pointer(PointerType::getUnqual(context)) {}

  void run() {
    for (GlobalVariable *variable : managed)
      addSlot(*variable);
    convertUsersOfConstantsToInstructions(
        SmallVector<Constant *>(managed.begin(), managed.end()));
    rewriteInstructions();
    rewriteInitializers();
    removeVariables();
  }

private:
  void addSlot(GlobalVariable &variable);
  Function *accessFunction();
  Value *addressOf(GlobalVariable &variable, IRBuilder<> &builder);
  void rewriteInstructions();
  bool refersToManaged(const Constant &constant);
  Constant *withSlots(Constant &constant);
  void registerSlot(GlobalVariable &entry);
  Value *computed(Constant &constant, IRBuilder<> &builder);
  Constant *storeParts(Constant &part, GlobalVariable &whole, uint64_t offset,
                       IRBuilder<> &builder);
  void initializeLater(GlobalVariable &variable);
  void rewriteInitializers();
  void removeVariables();
  IRBuilder<> constructor();

  Module &module;
  LLVMContext &context;
  ArrayRef<GlobalVariable *> managed;
  PointerType *pointer;
  DenseMap<const Value *, GlobalVariable *> slots; // looked up only
  Function *access = nullptr;
  Function *start = nullptr;
};

} // namespace

void HostRewriter::addSlot(GlobalVariable &variable) {
  auto *slot = new GlobalVariable(
      module, pointer, /*isConstant=*/false, variable.getLinkage(),
      variable.isDeclaration() ? nullptr : ConstantPointerNull::get(pointer),
      "", &variable, GlobalValue::NotThreadLocal, /*AddressSpace=*/0,
      /*isExternallyInitialized=*/true);
  slot->takeName(&variable);
  slot->setSection(kManagedSection);
  slot->setAlignment(module.getDataLayout().getPointerABIAlignment(0));
  slot->setComdat(variable.getComdat());
  if (!slot->hasLocalLinkage())
    slot->setVisibility(GlobalValue::HiddenVisibility);
  slot->setDSOLocal(true);
  slots[&variable] = slot;
}

/// Returns the function that returns what a slot, its argument, points to once
/// it is filled.
Function *HostRewriter::accessFunction() {
  if (access)
    return access;
  access = Function::Create(FunctionType::get(pointer, {pointer}, false),
                            GlobalValue::InternalLinkage, "__gpulto_managed",
                            module);
  access->addFnAttr(Attribute::AlwaysInline);
  access->setDoesNotThrow();
  auto *fill = cast<Function>(
      module
          .getOrInsertFunction(kInitManaged,
                               FunctionType::get(Type::getVoidTy(context),
                                                 /*isVarArg=*/false))
          .getCallee());
  fill->setVisibility(GlobalValue::HiddenVisibility);
  fill->setDSOLocal(true);
  fill->setDoesNotThrow();
  fill->addFnAttr(Attribute::Cold);

  Argument *slot = access->getArg(0);
  auto *entry = BasicBlock::Create(context, "", access);
  auto *empty = BasicBlock::Create(context, "", access);
  auto *filled = BasicBlock::Create(context, "", access);
  IRBuilder<> builder(entry);
  Value *first = builder.CreateLoad(pointer, slot);
  builder.CreateCondBr(builder.CreateIsNull(first), empty, filled,
                       MDBuilder(context).createUnlikelyBranchWeights());
  builder.SetInsertPoint(empty);
  builder.CreateCall(fill)->setDoesNotThrow();
  Value *second = builder.CreateLoad(pointer, slot);
  builder.CreateBr(filled);
  builder.SetInsertPoint(filled);
  PHINode *result = builder.CreatePHI(pointer, 2);
  result->addIncoming(first, entry);
  result->addIncoming(second, empty);
  builder.CreateRet(result);
  return access;
}

Value *HostRewriter::addressOf(GlobalVariable &variable, IRBuilder<> &builder) {
  return builder.CreateCall(accessFunction(), {slots.lookup(&variable)});
}

void HostRewriter::rewriteInstructions() {
  for (GlobalVariable *variable : managed)
    for (Use &use : make_early_inc_range(variable->uses())) {
      auto *user = dyn_cast<Instruction>(use.getUser());
      if (!user)
        continue;
      Instruction *place = user;
      if (auto *phi = dyn_cast<PHINode>(user))
        place = phi->getIncomingBlock(use)->getTerminator();
      IRBuilder<> builder(place);
      builder.SetCurrentDebugLocation(user->getDebugLoc());
      use.set(addressOf(*variable, builder));
    }
}

bool HostRewriter::refersToManaged(const Constant &constant) {
  if (isa<GlobalValue>(constant))
    return slots.contains(&constant);
  return any_of(constant.operands(), [&](const Use &operand) {
    return refersToManaged(*cast<Constant>(operand));
  });
}

/// Returns \p constant with slots in place of managed variables.
Constant *HostRewriter::withSlots(Constant &constant) {
  if (GlobalVariable *slot = slots.lookup(&constant))
    return slot;
  if (isa<GlobalValue>(constant) || !refersToManaged(constant))
    return &constant;
  SmallVector<Constant *> operands;
  for (Use &operand : constant.operands())
    operands.push_back(withSlots(*cast<Constant>(operand)));
  if (auto *list = dyn_cast<ConstantStruct>(&constant))
    return ConstantStruct::get(list->getType(), operands);
  if (auto *list = dyn_cast<ConstantArray>(&constant))
    return ConstantArray::get(list->getType(), operands);
  return cast<ConstantExpr>(constant).getWithOperands(operands);
}

/// Makes \p entry, an offload entry, that of a managed variable.
void HostRewriter::registerSlot(GlobalVariable &entry) {
  entry.setInitializer(withSlots(*entry.getInitializer()));
  markManagedEntry(entry);
}

/// Computes \p constant, which depends on a managed variable's address.
Value *HostRewriter::computed(Constant &constant, IRBuilder<> &builder) {
  if (slots.contains(&constant))
    return addressOf(cast<GlobalVariable>(constant), builder);
  auto *expression = dyn_cast<ConstantExpr>(&constant);
  if (!expression || !refersToManaged(constant))
    return &constant;
  Instruction *instruction = expression->getAsInstruction();
  for (Use &operand : instruction->operands())
    operand.set(computed(*cast<Constant>(operand), builder));
  return builder.Insert(instruction);
}

/// Stores what depends on managed variables in \p part, which is at byte
/// \p offset of \p whole, and returns \p part without it.
Constant *HostRewriter::storeParts(Constant &part, GlobalVariable &whole,
                                   uint64_t offset, IRBuilder<> &builder) {
  if (!refersToManaged(part))
    return &part;
  const DataLayout &layout = module.getDataLayout();
  auto *structure = dyn_cast<ConstantStruct>(&part);
  auto *array = dyn_cast<ConstantArray>(&part);
  if (!structure && !array) {
    Value *place = builder.CreatePtrAdd(&whole, builder.getInt64(offset));
    builder.CreateAlignedStore(
        computed(part, builder), place,
        commonAlignment(whole.getAlign().valueOrOne(), offset));
    return Constant::getNullValue(part.getType());
  }
  SmallVector<Constant *> elements;
  for (auto [i, element] : enumerate(part.operands())) {
    auto *each = cast<Constant>(element);
    uint64_t distance =
        structure
            ? layout.getStructLayout(structure->getType())->getElementOffset(i)
            : i * layout.getTypeAllocSize(each->getType());
    elements.push_back(storeParts(*each, whole, offset + distance, builder));
  }
  return structure ? ConstantStruct::get(structure->getType(), elements)
                   : ConstantArray::get(array->getType(), elements);
}

/// Returns where this module's constructor continues.
IRBuilder<> HostRewriter::constructor() {
  if (!start) {
    start = Function::Create(
        FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/false),
        GlobalValue::InternalLinkage, "__gpulto_store_managed", module);
    ReturnInst::Create(context, BasicBlock::Create(context, "", start));
    appendToGlobalCtors(module, start, kConstructorPriority);
  }
  return IRBuilder<>(start->getEntryBlock().getTerminator());
}

void HostRewriter::initializeLater(GlobalVariable &variable) {
  if (variable.isThreadLocal())
    return context.emitError("the address of a managed variable cannot be in "
                             "the initial value of '" +
                             variable.getName() + "', which is thread_local");
  IRBuilder<> builder = constructor();
  variable.setInitializer(
      storeParts(*variable.getInitializer(), variable, 0, builder));
  variable.setConstant(false);
}

void HostRewriter::rewriteInitializers() {
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    if (!variable.hasInitializer() ||
        !refersToManaged(*variable.getInitializer()))
      continue;
    if (isOffloadEntry(variable))
      registerSlot(variable);
    else if (variable.getSection() == "llvm.metadata" ||
             variable.getName() == "__clang_gpu_used_external")
      variable.setInitializer(withSlots(*variable.getInitializer()));
    else
      initializeLater(variable);
  }
}

void HostRewriter::removeVariables() {
  for (GlobalVariable *variable : managed) {
    variable->removeDeadConstantUsers();
    if (!variable->use_empty()) {
      context.emitError("the managed variable '" +
                        slots.lookup(variable)->getName() +
                        "' is used in a way that is not supported");
      variable->replaceAllUsesWith(slots.lookup(variable));
    }
    variable->eraseFromParent();
  }
}

bool pointToManaged(Module &module) {
  std::vector<GlobalVariable *> managed = findManaged(module);
  if (managed.empty())
    return false;
  HostRewriter(module, managed).run();
  return true;
}

} // namespace gpulto
