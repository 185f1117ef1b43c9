//===- ClosedMemoryAnalyze.cpp - Memory that a module keeps (LGEN) --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: follow handles into containers that only remember something of them.
//
//   static bool canUse(const void *kernel) {
//     static std::unordered_map<const void *, bool> known;
//     auto found = known.find(kernel);       compared and hashed
//     if (found != known.end())
//       return found->second;                no pointer
//     ...
//     known.emplace(kernel, result); }       stored in a new object
//
// The names of a piece of memory are all values that may lead to it or may have
// been read from it; which of the two does not matter. From the place where a
// handle is stored
//
// 1. addOrigins   finds the objects behind it: local variables of the program
//                 and of functions, new objects;
// 2. visit        adds what each use of a name makes: addresses in it, pointers
//                 read from it, parameters that get it. Where a name is stored
//                 must be such memory, too. Any other use opens it: it is
//                 called, returned to callers that are not seen, given to code
//                 that is not seen.
//
// Functions of the C++ library that link the nodes of its containers only do
// that. Integers read from it are no pointers if the language says so
// (type-based alias information, the types of variables).
//
// Limits: variables that other modules may name, as those of inline functions;
// parameters of functions whose callers are not seen; units that name no
// function of the CUDA runtime.
//
// Source: B. Steensgaard, "Points-to analysis in almost linear time", POPL
// 1996, with one class, which must not escape.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/ClosedMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gpulto {

//===----------------------------------------------------------------------===//
// Calls that are known
//===----------------------------------------------------------------------===//

static StringRef declaredCallee(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() ? callee->getName() : StringRef();
}

static bool makesObject(const CallBase &call) {
  return StringSwitch<bool>(declaredCallee(call))
      .Cases({"_Znwm", "_Znam", "_ZnwmSt11align_val_t", "malloc", "calloc"},
             true)
      .Default(false);
}

static bool freesObject(const CallBase &call) {
  return StringSwitch<bool>(declaredCallee(call))
      .Cases({"_ZdlPv", "_ZdlPvm", "_ZdlPvSt11align_val_t"}, true)
      .Cases({"_ZdlPvmSt11align_val_t", "_ZdaPv", "_ZdaPvm", "free"}, true)
      .Default(false);
}

/// Whether \p call enters a function of libstdc++ that does no more with the
/// objects that it gets than link them, and may return one.
static bool linksNodes(const CallBase &call) {
  constexpr StringLiteral kTree = "St18_Rb_tree_node_base";
  StringRef name = declaredCallee(call);
  bool isOfTree = name.contains(kTree) &&
                  (name.starts_with("_ZSt29_Rb_tree_insert_and_rebalance") ||
                   name.starts_with("_ZSt28_Rb_tree_rebalance_for_erase") ||
                   name.starts_with("_ZSt18_Rb_tree_increment") ||
                   name.starts_with("_ZSt18_Rb_tree_decrement"));
  return isOfTree ||
         name.starts_with("_ZNKSt8__detail20_Prime_rehash_policy") ||
         name.starts_with("_ZNSt8__detail15_List_node_base");
}

/// Returns the parameter of a body of this module that \p use becomes, if it
/// is an argument.
static const Argument *parameterOf(const CallBase &call, const Use &use) {
  const Function *callee = call.getCalledFunction();
  unsigned index = call.getArgOperandNo(&use);
  if (!declaredCallee(call).empty()) {
    // The destructor of a static variable.
    constexpr unsigned kObject = 1;
    callee = declaredCallee(call) == "__cxa_atexit" && index == kObject
                 ? dyn_cast<Function>(call.getArgOperand(0))
                 : nullptr;
    index = 0;
  } else if (call.isByValArgument(index)) {
    return nullptr;
  }
  bool isKnown = callee && !callee->isDeclaration() &&
                 !callee->isInterposable() && index < callee->arg_size();
  return isKnown ? callee->getArg(index) : nullptr;
}

/// Calls \p visit with each call of \p function, if these are all seen;
/// returns whether they are, and all visits succeeded.
static bool visitCalls(const Function &function,
                       function_ref<bool(const CallBase &)> visit) {
  return function.hasLocalLinkage() &&
         all_of(function.uses(), [&](const Use &use) {
           auto *call = dyn_cast<CallBase>(use.getUser());
           return call && call->isCallee(&use) &&
                  call->getFunctionType() == function.getFunctionType() &&
                  visit(*call);
         });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

bool endsInMixture(const Value &value) {
  SmallSetVector<const Value *, 16> integers;
  integers.insert(&value);
  for (size_t i = 0; i < integers.size(); ++i)
    for (const User *user : integers[i]->users()) {
      auto *instruction = dyn_cast<Instruction>(user);
      switch (instruction ? instruction->getOpcode() : 0) {
      case Instruction::Mul:
      case Instruction::UDiv:
      case Instruction::SDiv:
      case Instruction::URem:
      case Instruction::SRem:
      case Instruction::ICmp:
      case Instruction::Switch:
        continue;
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Xor:
      case Instruction::Or:
      case Instruction::And:
      case Instruction::Shl:
      case Instruction::LShr:
      case Instruction::AShr:
      case Instruction::Trunc:
      case Instruction::ZExt:
      case Instruction::SExt:
      case Instruction::PHI:
      case Instruction::Select:
      case Instruction::Freeze:
        integers.insert(user);
        continue;
      default:
        return false;
      }
    }
  return true;
}

/// Whether the language lets \p load, of an integer, read no pointer.
static bool readsNoPointer(const LoadInst &load) {
  const MDNode *tag = load.getMetadata(LLVMContext::MD_tbaa);
  constexpr unsigned kAccessType = 1;
  auto *type = tag && tag->getNumOperands() > kAccessType
                   ? dyn_cast<MDNode>(tag->getOperand(kAccessType))
                   : nullptr;
  auto *name = type && type->getNumOperands()
                   ? dyn_cast<MDString>(type->getOperand(0))
                   : nullptr;
  return name && StringSwitch<bool>(name->getString())
                     .Cases({"bool", "short", "int", "long", "long long"}, true)
                     .Default(false);
}

/// Whether \p function was compiled with the rule that each object is accessed
/// by its type.
static bool hasTypedAccesses(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    return instruction.hasMetadata(LLVMContext::MD_tbaa);
  });
}

/// Whether \p load reads an integer that a variable of the program is declared
/// to have there.
static bool readsIntegerField(const LoadInst &load) {
  if (!hasTypedAccesses(*load.getFunction()))
    return false;
  const DataLayout &layout = load.getDataLayout();
  const Value &address = *load.getPointerOperand();
  APInt distance(layout.getIndexTypeSizeInBits(address.getType()), 0);
  auto *variable =
      dyn_cast<GlobalVariable>(address.stripAndAccumulateConstantOffsets(
          layout, distance, /*AllowNonInbounds=*/true));
  if (!variable || distance.isNegative())
    return false;
  uint64_t offset = distance.getZExtValue();
  Type *type = variable->getValueType();
  while (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout &fields = *layout.getStructLayout(structure);
    if (offset >= fields.getSizeInBytes())
      return false;
    unsigned field = fields.getElementContainingOffset(offset);
    offset -= fields.getElementOffset(field).getFixedValue();
    type = structure->getElementType(field);
  }
  return offset == 0 && type == load.getType();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {

class Closure {
public:
  bool addOrigins(const Value &address);
  bool grow();
  const auto &all() const { return names; }

private:
  bool add(const Value &name) {
    names.insert(&name);
    return true;
  }
  bool visit(const Use &use);
  bool visitLoad(const LoadInst &load);
  bool visitCall(const CallBase &call, const Use &use);
  bool visitIntrinsic(const IntrinsicInst &call);

  SmallSetVector<const Value *, 32> names;
  /// Addresses at which names are stored: they must be some, too.
  SmallSetVector<const Value *, 16> places;
};

} // namespace

/// Adds the objects that \p address may lead into, which must be one of the
/// names in the end; returns false if one of them cannot be closed.
bool Closure::addOrigins(const Value &address) {
  if (isa<ConstantData>(address))
    return true; // no object
  places.insert(&address);
  SmallSetVector<const Value *, 8> pending;
  pending.insert(&address);
  for (size_t i = 0; i < pending.size(); ++i) {
    const Value *object = getUnderlyingObject(pending[i], /*MaxLookup=*/0);
    auto *variable = dyn_cast<GlobalVariable>(object);
    auto *call = dyn_cast<CallBase>(object);
    auto *argument = dyn_cast<Argument>(object);
    if (isa<AllocaInst>(object) || (variable && variable->hasLocalLinkage()) ||
        (call && makesObject(*call))) {
      add(*object);
    } else if (isa<PHINode, SelectInst>(object) ||
               (call && linksNodes(*call))) {
      for (const Use &operand : cast<User>(object)->operands())
        if (operand->getType()->isPointerTy() &&
            !isa<ConstantData, Function>(operand))
          pending.insert(operand);
    } else if (auto *load = dyn_cast<LoadInst>(object)) {
      pending.insert(load->getPointerOperand());
    } else if (!argument ||
               !visitCalls(*argument->getParent(), [&](const CallBase &caller) {
                 pending.insert(caller.getArgOperand(argument->getArgNo()));
                 return true;
               })) {
      return false;
    }
  }
  return true;
}

bool Closure::visitLoad(const LoadInst &load) {
  const Type *type = load.getType();
  if (type->isPointerTy())
    return add(load);
  return type->isFloatingPointTy() ||
         (type->isIntegerTy() &&
          (readsNoPointer(load) || readsIntegerField(load)));
}

bool Closure::visitIntrinsic(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::memcpy:
  case Intrinsic::memmove: {
    constexpr unsigned kTo = 0, kFrom = 1;
    return addOrigins(*call.getArgOperand(kTo)) &&
           addOrigins(*call.getArgOperand(kFrom));
  }
  case Intrinsic::memset:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::invariant_end:
  case Intrinsic::assume:
  case Intrinsic::prefetch:
    return true;
  case Intrinsic::invariant_start: // tells its end which one
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::threadlocal_address:
    return add(call);
  default:
    return false;
  }
}

bool Closure::visitCall(const CallBase &call, const Use &use) {
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call))
    return visitIntrinsic(*intrinsic);
  if (!call.isArgOperand(&use))
    return false;
  if (const Argument *parameter = parameterOf(call, use))
    return add(*parameter);
  if (!linksNodes(call))
    return freesObject(call);
  // From each of the objects the others are reached now.
  add(call);
  return all_of(call.args(), [&](const Use &argument) {
    return !argument->getType()->isPointerTy() || addOrigins(*argument);
  });
}

/// Adds what the user of \p use, a name, makes of it; returns false if that
/// opens the memory.
bool Closure::visit(const Use &use) {
  const User *user = use.getUser();
  if (auto *expression = dyn_cast<ConstantExpr>(user))
    return expression->getType()->isPointerTy() && add(*expression);
  auto *instruction = dyn_cast<Instruction>(user);
  switch (instruction ? instruction->getOpcode() : 0) {
  case Instruction::Load:
    return visitLoad(cast<LoadInst>(*user));
  case Instruction::Store:
    return use.getOperandNo() == StoreInst::getPointerOperandIndex() ||
           addOrigins(*cast<StoreInst>(user)->getPointerOperand());
  case Instruction::GetElementPtr:
  case Instruction::AddrSpaceCast:
  case Instruction::PHI:
  case Instruction::Select:
  case Instruction::Freeze:
  case Instruction::InsertValue:
    return add(*user);
  case Instruction::ExtractValue:
    return user->getType()->isIntegerTy() || add(*user);
  case Instruction::ICmp:
    return true;
  case Instruction::PtrToInt:
    return endsInMixture(*user);
  case Instruction::Call:
  case Instruction::Invoke:
    return visitCall(cast<CallBase>(*user), use);
  case Instruction::Ret:
    return visitCalls(*instruction->getFunction(),
                      [&](const CallBase &call) { return add(call); });
  default:
    return false;
  }
}

bool Closure::grow() {
  constexpr size_t kMaxNames = 4096;
  for (size_t i = 0; i < names.size(); ++i)
    if (i == kMaxNames ||
        !all_of(names[i]->uses(), [&](const Use &use) { return visit(use); }))
      return false;
  return all_of(places,
                [&](const Value *place) { return names.contains(place); });
}

bool ClosedMemory::keeps(const Value &address) {
  if (closed.contains(&address))
    return true;
  Closure closure;
  bool isKnown = closure.addOrigins(address);
  SmallVector<const Value *, 4> objects(closure.all().begin(),
                                        closure.all().end());
  if (any_of(objects, [&](const Value *v) { return open.contains(v); }))
    return false;
  if (!isKnown || !closure.grow()) {
    open.insert(objects.begin(), objects.end());
    return false;
  }
  closed.insert(closure.all().begin(), closure.all().end());
  return true;
}

} // namespace gpulto
