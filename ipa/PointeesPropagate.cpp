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
// 1. A parameter is touched if its function writes through it or lets it escape
//    (kParamMayWrite, kParamMayEscape), or passes it on to a touched parameter
//    or to code that nobody sees.
// 2. A variable is intact if no call passes its address to a touched parameter.
//    Then no pointer but those of the callees leads to it while they run.
//
// Source: M. Jambor, J. Hubicka, "The interprocedural optimization framework of
// GCC" (aggregates passed by reference, ipa-prop).
//
//===----------------------------------------------------------------------===//

#include "ipa/Pointees.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace gpulto {

uint32_t Pointees::parameterOf(const CombinedModule &module,
                               const CallEdge &call, uint32_t number) const {
  if (call.callee == kNone)
    return kNone;
  GlobalId callee = program.definition(module.firstSymbol + call.callee);
  // What another definition may replace when the program runs is not known.
  if (callee == kNone || context.decisions.visibleOutside.test(callee))
    return kNone;
  auto first = firstParameters.find(callee);
  if (first == firstParameters.end() ||
      number >= program.function(callee)->parameters.count)
    return kNone;
  return first->second + number;
}

Pointees::Pointees(const WpaContext &context, const Callers &callers)
    : context(context), program(context.program) {
  uint32_t count = 0;
  for (GlobalId id : callers.bodies()) {
    firstParameters[id] = count;
    count += program.function(id)->parameters.count;
  }
  touched.resize(count);
  std::vector<SmallVector<uint32_t, 2>> passedTo(count); // callee to caller
  SmallVector<uint32_t> worklist;
  auto touch = [&](uint32_t parameter) {
    if (touched.test(parameter))
      return;
    touched.set(parameter);
    worklist.push_back(parameter);
  };
  for (GlobalId id : callers.bodies()) {
    const CombinedModule &module = program.moduleRef(id);
    const FunctionSummary &function = *program.function(id);
    uint32_t first = firstParameters[id];
    // By value, the callee has a copy of its own.
    for (auto [i, formal] :
         enumerate(slice(module.summary.parameters, function.parameters)))
      if (!(formal.flags & kParamByVal) &&
          (formal.flags & (kParamMayWrite | kParamMayEscape)))
        touch(first + i);
    for (const CallEdge &call : slice(module.summary.calls, function.calls))
      for (auto [i, actual] :
           enumerate(slice(module.summary.jumpFunctions, call.arguments))) {
        if (actual.kind != JumpFunction::Kind::PassThrough &&
            actual.kind != JumpFunction::Kind::Ancestor)
          continue;
        uint32_t callee = parameterOf(module, call, i);
        if (callee == kNone)
          touch(first + actual.source);
        else
          passedTo[callee].push_back(first + actual.source);
      }
  }
  while (!worklist.empty())
    for (uint32_t caller : passedTo[worklist.pop_back_val()])
      touch(caller);
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
      if (!isSame(actual))
        continue;
      uint32_t parameter = parameterOf(module, call, i);
      if (parameter == kNone || touched.test(parameter))
        return entry->second = false;
    }
  return true;
}

} // namespace gpulto
