//===- FoldAttributes.cpp - What a leader can do without ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "icf/FoldAttributes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

namespace gpulto {

bool isPromise(Attribute attribute) {
  if (!attribute.isEnumAttribute() && !attribute.isIntAttribute() &&
      !attribute.isConstantRangeAttribute())
    return false;
  switch (attribute.getKindAsEnum()) {
  case Attribute::NoAlias:
  case Attribute::Captures:
  case Attribute::NoFree:
  case Attribute::NoSync:
  case Attribute::NonNull:
  case Attribute::NoUndef:
  case Attribute::ReadNone:
  case Attribute::ReadOnly:
  case Attribute::WriteOnly:
  case Attribute::Writable:
  case Attribute::DeadOnUnwind:
  case Attribute::Returned:
  case Attribute::Dereferenceable:
  case Attribute::DereferenceableOrNull:
  case Attribute::Range:
  case Attribute::NoFPClass:
  case Attribute::Memory:
  case Attribute::WillReturn:
  case Attribute::NoRecurse:
  case Attribute::MustProgress:
  case Attribute::NoCallback:
  case Attribute::Speculatable:
  case Attribute::InlineHint:
  case Attribute::Cold:
  case Attribute::Hot:
    return true;
  default:
    return false;
  }
}

bool isPromiseToBody(Attribute attribute) {
  return isPromise(attribute) || attribute.hasAttribute(Attribute::ZExt) ||
         attribute.hasAttribute(Attribute::SExt);
}

bool isPromise(unsigned kind) {
  switch (kind) {
  case LLVMContext::MD_dbg:
  case LLVMContext::MD_tbaa:
  case LLVMContext::MD_tbaa_struct:
  case LLVMContext::MD_prof:
  case LLVMContext::MD_range:
  case LLVMContext::MD_nonnull:
  case LLVMContext::MD_noundef:
  case LLVMContext::MD_align:
  case LLVMContext::MD_dereferenceable:
  case LLVMContext::MD_dereferenceable_or_null:
  case LLVMContext::MD_alias_scope:
  case LLVMContext::MD_noalias:
  case LLVMContext::MD_invariant_group:
  case LLVMContext::MD_mem_parallel_loop_access:
  case LLVMContext::MD_access_group:
  case LLVMContext::MD_callees:
  case LLVMContext::MD_unpredictable:
  case LLVMContext::MD_annotation:
  case LLVMContext::MD_DIAssignID:
  case LLVMContext::MD_section_prefix:
    return true;
  default:
    // Such as invariant.load, fpmath, nontemporal: they choose instructions.
    return false;
  }
}

bool isCompared(unsigned kind, const MDNode &node) {
  bool isBareLoop =
      kind == LLVMContext::MD_loop &&
      all_of(drop_begin(node.operands()), [](const MDOperand &part) {
        return isa_and_nonnull<DILocation>(part.get());
      });
  bool isType = kind == node.getContext().getMDKindID("heapallocsite");
  return !isBareLoop && !isType && !isPromise(kind);
}

bool isMarker(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::experimental_noalias_scope_decl:
    return true;
  default:
    return isa<DbgInfoIntrinsic>(call);
  }
}

/// The word before a kernel stub keeps a linker from folding handles
/// (lto/lgen/ModuleRepair.h); here it is known what a handle is used for.
static bool isStubMark(const Function &function) {
  return function.getName().contains("__device_stub__") &&
         isa<ConstantInt>(function.getPrefixData());
}

/// Returns whether \p instruction asks where its frame is, or who called it:
/// the answer depends on how the function is entered.
static bool readsFrame(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::returnaddress:
  case Intrinsic::addressofreturnaddress:
  case Intrinsic::frameaddress:
  case Intrinsic::sponentry:
  case Intrinsic::localescape:
  case Intrinsic::localrecover:
    return true;
  default:
    return false;
  }
}

/// Arguments that live in the caller's frame or in registers of their own.
static bool isSpecial(const Argument &argument) {
  return argument.hasInAllocaAttr() || argument.hasPreallocatedAttr() ||
         argument.hasSwiftErrorAttr() ||
         argument.hasAttribute(Attribute::SwiftSelf) ||
         argument.hasAttribute(Attribute::SwiftAsync) || argument.hasNestAttr();
}

bool isUnfoldable(const Function &function) {
  if ((function.hasPrefixData() && !isStubMark(function)) ||
      function.hasPrologueData() || function.hasFnAttribute(Attribute::Naked) ||
      function.hasGC() || function.isPresplitCoroutine() ||
      any_of(function.args(), isSpecial))
    return true;
  for (const BasicBlock &block : function)
    if (block.hasAddressTaken() || any_of(block, readsFrame))
      return true;
  return false;
}

bool isUnfoldable(const GlobalVariable &variable) {
  SmallVector<std::pair<unsigned, MDNode *>, 2> attached;
  variable.getAllMetadata(attached);
  // Tests of types are dropped before optimization, or refused.
  bool hasMeaning = any_of(attached, [](const auto &entry) {
    return entry.first != LLVMContext::MD_dbg &&
           entry.first != LLVMContext::MD_type &&
           entry.first != LLVMContext::MD_vcall_visibility;
  });
  return !variable.isConstant() || !variable.hasInitializer() ||
         variable.isExternallyInitialized() || variable.isThreadLocal() ||
         variable.hasLocalLinkage() || hasMeaning || variable.getCodeModel() ||
         variable.hasSanitizerMetadata();
}

} // namespace gpulto
