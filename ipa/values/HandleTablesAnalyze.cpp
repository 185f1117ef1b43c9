//===- HandleTablesAnalyze.cpp - Variables that hold handles --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/values/HandleTables.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

namespace gpulto {

static bool mentionsFunction(const llvm::Constant &constant) {
  if (llvm::isa<llvm::Function>(constant.stripPointerCasts()))
    return true;
  return llvm::isa<llvm::ConstantAggregate>(constant) &&
         llvm::any_of(constant.operands(), [](const llvm::Use &operand) {
           return mentionsFunction(*llvm::cast<llvm::Constant>(operand));
         });
}

const llvm::GlobalVariable *handleVariableOf(const llvm::Value &value) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (!load || !load->isSimple() || !load->getType()->isPointerTy())
    return nullptr;
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(
      llvm::getUnderlyingObject(load->getPointerOperand()));
  if (!variable || variable->isThreadLocal())
    return nullptr;
  bool isKnown = variable->isConstant() && variable->hasDefinitiveInitializer();
  return !isKnown || mentionsFunction(*variable->getInitializer()) ? variable
                                                                   : nullptr;
}

const llvm::GlobalVariable *handleTableOf(const llvm::Value &value) {
  const llvm::GlobalVariable *table = handleVariableOf(value);
  return table && table->isConstant() && table->hasDefinitiveInitializer()
             ? table
             : nullptr;
}

} // namespace gpulto
