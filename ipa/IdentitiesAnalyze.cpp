//===- IdentitiesAnalyze.cpp - Whose address tells it from others ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   static const char *const kNone = "none";
//   bool isNone(const char *s) { return s == kNone; }
//   const char *none() { return kNone; }
//
//   namespace { struct Last final : Base {}; }
//   dynamic_cast<Last *>(base)       compares addresses of the virtual table
//
// Both functions, in different partitions, must mean one constant.
//
// Limit: where a constant that is compared elsewhere is only passed on, by one
// unit in two partitions, it may be two.
//
//===----------------------------------------------------------------------===//

#include "ipa/Identities.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gpulto {

bool mayTellApart(const Instruction &comparison) {
  SmallVector<const Value *, 4> objects;
  for (const Value *operand : comparison.operands())
    if (!isa<ConstantPointerNull>(operand))
      getUnderlyingObjects(operand, objects);
  return !all_equal(objects);
}

/// Returns whether the address of \p constant is compared with others in its
/// module, as far as it goes through no memory and no call.
static bool isCompared(const GlobalVariable &constant) {
  SmallVector<const Value *, 8> worklist = {&constant};
  SmallPtrSet<const Value *, 16> seen;
  while (!worklist.empty()) {
    const Value *address = worklist.pop_back_val();
    if (!seen.insert(address).second)
      continue;
    for (const User *user : address->users()) {
      auto *comparison = dyn_cast<ICmpInst>(user);
      if (comparison && mayTellApart(*comparison))
        return true;
      if (isa<GEPOperator, AddrSpaceCastOperator, PHINode, SelectInst>(user))
        worklist.push_back(user);
    }
  }
  return false;
}

bool keepIdentities(Module &module) {
  bool changed = false;
  for (GlobalVariable &variable : module.globals())
    if (variable.hasLocalLinkage() && variable.isConstant() &&
        variable.hasGlobalUnnamedAddr() && isCompared(variable)) {
      variable.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
      changed = true;
    }
  return changed;
}

} // namespace gpulto
