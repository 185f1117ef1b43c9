//===- ContentsAnalyze.cpp - Constants without identity -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ipa/bodies/Contents.h"

#include "llvm/IR/GlobalVariable.h"

namespace gpulto {

bool isContentsOnly(const llvm::GlobalVariable &variable) {
  return variable.hasLocalLinkage() && variable.isConstant() &&
         variable.hasGlobalUnnamedAddr() && variable.hasInitializer() &&
         !variable.hasSection();
}

} // namespace gpulto
