//===- PointeesPropagate.cpp - Variables that callees leave alone ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: believe what a caller knows of a variable that it passes by reference.
//
//   Params params = {64, 64, 0.1f};        advance(const Params &p)
//   advance(params, ...);                    kernel<<<...>>>(p.width, ...);
//
// LGEN says that the address goes to the callee and nowhere else. That the
// callee may write through it although the reference is to const, or keep it
// for later, is for its body to exclude:
//
// A variable is intact if no call passes its address to a parameter that the
// callee, or whom it passes it on to, writes through or keeps
// (FunctionEffects). Then no pointer but those of the callees leads to it while
// they run.
//
// Source: M. Jambor, J. Hubicka, "The interprocedural optimization framework of
// GCC" (aggregates passed by reference, ipa-prop).
//
//===----------------------------------------------------------------------===//

#include "ipa/Pointees.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

bool Pointees::isLeftAlone(GlobalId caller, const CallEdge &call,
                           uint32_t number) const {
  const FunctionEffects *effects =
      context.decisions.effectsOf(program.definitionFor(caller, call.callee));
  if (!effects || number >= effects->parameters.size())
    return false;
  // What a call leaves where it returns, the caller knows of.
  GlobalId callee = program.definitionFor(caller, call.callee);
  bool isResult = program.parameters(callee)[number].flags & kParamStructRet;
  return !(effects->parameters[number] &
           ((isResult ? 0u : unsigned(kParamMayWrite)) | kParamMayEscape));
}

bool Pointees::isIntact(GlobalId caller, uint64_t number) const {
  auto [entry, isNew] = known.try_emplace({caller, number}, true);
  if (!isNew)
    return entry->second;
  const CombinedModule &module = program.moduleRef(caller);
  auto isSame = [&](const JumpFunction &actual) {
    return actual.kind == JumpFunction::Kind::Aggregate &&
           actual.value == number;
  };
  for (const CallEdge &call :
       slice(module.summary.calls, program.function(caller)->calls))
    for (auto [i, actual] :
         enumerate(slice(module.summary.jumpFunctions, call.arguments))) {
      if (isSame(actual) && !isLeftAlone(caller, call, i))
        return entry->second = false;
    }
  return true;
}

} // namespace gpulto
