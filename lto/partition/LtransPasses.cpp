//===- LtransPasses.cpp - Carry the passes' decisions out -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/partition/LtransPasses.h"

#include "ipa/access/MemoryTransform.h"
#include "ipa/bodies/Passes.h"
#include "ipa/signatures/SignaturesTransform.h"
#include "ipa/transfers/TransfersTransform.h"
#include "lto/partition/LtransEffects.h"

#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace gpulto {

static Error transformFold(LtransState &state) {
  return state.folds.finish(state.job.leaders);
}

static Error transformConstants(LtransState &state) {
  applyPlans(state.partition, state.planned, state.use, state.job,
             state.report);
  return Error::success();
}

/// Of kernels and of their clones, whose names begin alike.
static Error transformMemory(LtransState &state) {
  if (state.use == PlanUse::None)
    return Error::success();
  StringMap<const KernelLaunches *> launches;
  for (const JobFunction &known : state.job.functions)
    if (!known.decided.launches.empty())
      launches[known.name] = &known.decided.launches;
  for (Function &function : state.partition)
    if (auto found = launches.find(withoutCloneSuffix(function.getName()));
        found != launches.end())
      attachLaunches(function, *found->second);
  return Error::success();
}

/// Sets variables from the start, and loads what is known of others. What plain
/// kernels load is in memory.
static Error transformTransfers(LtransState &state) {
  auto markChanged = [](Function &function) {
    function.addFnAttr(kChangedAttribute);
    function.addFnAttr(kPlannedAttribute);
  };
  for (const JobVariable &known : state.job.variables) {
    GlobalVariable *variable = state.partition.getNamedGlobal(known.name);
    if (known.known.empty() || !variable)
      continue;
    bool isSetHere = known.isNeverWritten && !variable->isDeclaration();
    if (isSetHere)
      variable = setInitialBytes(*variable, known.known);
    if (state.use == PlanUse::None)
      continue;
    if (isSetHere)
      makeConstant(*variable, markChanged);
    else
      replaceKnownLoads(*variable, known.known, markChanged);
  }
  return Error::success();
}

static Error transformSignatures(LtransState &state) {
  for (const JobSignature &signature : state.job.signatures)
    if (Function *function = state.partition.getFunction(signature.name))
      if (Error error = changeSignature(*function, signature.change))
        return error;
  return Error::success();
}

// The entries that passes have.

static Error run(std::nullptr_t, LtransState &) { return Error::success(); }

static Error run(Error (*transform)(LtransState &), LtransState &state) {
  return transform(state);
}

static Error run(void (*transform)(Module &, const LtransJob &),
                 LtransState &state) {
  transform(state.partition, state.job);
  return Error::success();
}

/// Carries out what was decided of functions, on their definitions and
/// declarations.
static Error run(void (*transform)(Function &, const FunctionDecisions &),
                 LtransState &state) {
  for (const JobFunction &known : state.job.functions)
    if (Function *function = state.partition.getFunction(known.name))
      transform(*function, known.decided);
  return Error::success();
}

Error transformAll(LtransState &state) {
#define GPULTO_PASS(NAME, ANALYZE, PROPAGATE, TRANSFORM, TRUSTS, REMARK,       \
                    SENTENCE)                                                  \
  if (Error error = run(TRANSFORM, state))                                     \
    return error;
#include "lto/link/Passes.def"
  return Error::success();
}

} // namespace gpulto
