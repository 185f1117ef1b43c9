//===- ColdnessTransform.cpp - Cold functions, in LTRANS ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/coldness/ColdnessTransform.h"

#include "llvm/IR/Function.h"

using namespace llvm;

namespace gpulto {

void applyColdness(Function &function, Coldness coldness) {
  if (coldness == Coldness::Normal || function.hasOptNone())
    return;
  if (coldness == Coldness::Cold)
    function.addFnAttr(Attribute::Cold);
  if (!function.isDeclaration() && !function.hasMinSize())
    function.addFnAttr(Attribute::OptimizeForSize);
}

} // namespace gpulto
