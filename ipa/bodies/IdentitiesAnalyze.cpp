//===- IdentitiesAnalyze.cpp - Constants whose address matters ------------===//
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
// Both functions, in different partitions, must mean one constant. An address
// that is returned or stored may be compared elsewhere; one that is only passed
// to calls or read, as for most strings, does not count as an identity, nor do
// the pointers in tables.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Identities.h"

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

/// Returns whether \p address is compared with others by \p user, or goes where
/// it may be.
static bool isIdentity(const Value &address, const User &user) {
  if (auto *comparison = dyn_cast<ICmpInst>(&user))
    return mayTellApart(*comparison);
  if (auto *store = dyn_cast<StoreInst>(&user))
    return store->getValueOperand() == &address;
  return isa<ReturnInst, InsertValueInst>(user);
}

/// Returns whether the address of \p constant is an identity for its module's
/// functions.
static bool hasIdentity(const GlobalVariable &constant) {
  SmallVector<const Value *, 8> worklist = {&constant};
  SmallPtrSet<const Value *, 16> seen;
  while (!worklist.empty()) {
    const Value *address = worklist.pop_back_val();
    if (!seen.insert(address).second)
      continue;
    for (const User *user : address->users()) {
      if (isIdentity(*address, *user))
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
        variable.hasGlobalUnnamedAddr() && hasIdentity(variable)) {
      variable.setUnnamedAddr(GlobalValue::UnnamedAddr::None);
      changed = true;
    }
  return changed;
}

} // namespace gpulto
