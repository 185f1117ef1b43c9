//===- PointerBasePropagate.cpp - What arguments are based on -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/callers/PointerBase.h"
#include "summary/CombinedModule.h"

namespace gpulto {

const JumpFunction &baseOf(const CombinedSummary &program, GlobalId user,
                           const JumpFunction &actual) {
  const JumpFunction *base = &actual;
  // Of earlier entries each time, so this ends (SummaryFormat).
  while (base->kind == JumpFunction::Kind::Composed && base->bitWidth == 0 &&
         base->operation == JumpOperation::Add && base->count == 0)
    base = &program.moduleRef(user).summary.jumpFunctions[base->source];
  return *base;
}

} // namespace gpulto
