//===- LtransEffects.cpp - What calls and variables do, in LTRANS ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/partition/LtransEffects.h"

#include "ipa/effects/EffectsTransform.h"
#include "ipa/plans/ConstantsTransform.h"

using namespace llvm;

namespace gpulto {

static void applyTo(GlobalVariable &variable, const JobVariable &known) {
  if (known.isNeverWritten && known.known.empty())
    variable.setConstant(true); // others: transformTransfers
  if (known.isNeverRead)
    removeStores(variable);
  if (known.isNeverRead && variable.isDeclaration())
    replaceByPrivateCopy(variable, known.sizeBytes, known.alignLog2);
}

static void applyAll(Function &function, const FunctionDecisions &known) {
  applyEffects(function, *known.effects);
  for (const ValueFact &fact : known.returned)
    applyReturned(function, fact);
}

void transformEffects(Module &partition, const LtransJob &job) {
  for (const JobVariable &known : job.variables)
    if (GlobalVariable *variable = partition.getNamedGlobal(known.name))
      applyTo(*variable, known);
  if (job.side == Side::Device)
    return; // LLVM sees all bodies
  for (const JobFunction &known : job.functions)
    if (Function *function = partition.getFunction(known.name))
      applyAll(*function, known.decided);
}

} // namespace gpulto
