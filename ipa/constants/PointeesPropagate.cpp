//===- PointeesPropagate.cpp - Variables callees get the address of -------===//
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
// A variable is private if no call passes its address to a parameter that the
// callee, or whom it passes it on to, keeps (FunctionEffects). Then no pointer
// but those of the callees leads to it while they run. If one of them writes
// through its pointer, it must have no other one: what is said of the bytes
// behind a parameter does not count writes through another. The same holds for
// what a parameter leads to in the function that passes it on.
//
// Source: M. Jambor, J. Hubicka, "The interprocedural optimization framework of
// GCC" (aggregates passed by reference, ipa-prop).
//
//===----------------------------------------------------------------------===//

#include "ipa/constants/Pointees.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

bool Pointees::isUnwritten(GlobalId function, uint32_t number) const {
  const FunctionEffects *effects = context.decisions.effectsOf(function);
  return effects && number < effects->parameters.size() &&
         !(effects->parameters[number] & (kParamMayWrite | kParamMayEscape));
}

uint32_t Pointees::reach(GlobalId function, uint32_t number) const {
  constexpr unsigned kMaxCallDepth = 64;
  if (reachDepth >= kMaxCallDepth)
    return kNone;
  // Of a function that calls itself, nothing is known.
  auto [entry, isNew] = reaches.try_emplace({function, number}, kNone);
  if (!isNew)
    return entry->second;
  ArrayRef<ParameterRecord> formals = program.parameters(function);
  if (number >= formals.size() || !callers.isFinal(function))
    return kNone;
  uint64_t result = formals[number].ownReachBytes;
  const ModuleSummary &module = program.moduleRef(function).summary;
  for (const CallEdge &call :
       slice(module.calls, program.function(function)->calls)) {
    for (auto [i, actual] :
         enumerate(slice(module.jumpFunctions, call.arguments))) {
      if (!actual.isPointerPassedOn() || actual.source != number)
        continue;
      GlobalId callee = callers.calleeOf(function, call.callee);
      uint64_t distance =
          actual.kind == JumpFunction::Kind::Ancestor ? actual.value : 0;
      ++reachDepth;
      uint32_t inner = callee == kNone || !program.function(callee)
                           ? kNone
                           : reach(callee, static_cast<uint32_t>(i));
      --reachDepth;
      if (inner == kNone || distance >= kNone)
        return kNone;
      result = std::max(result, distance + inner);
    }
    if (result >= kNone)
      return kNone;
  }
  return reaches[{function, number}] = static_cast<uint32_t>(result);
}

/// Whether \p call of \p caller lets local variable \p number be private.
bool Pointees::isPrivateIn(GlobalId caller, const CallEdge &call,
                           uint64_t number) const {
  const CombinedModule &module = program.moduleRef(caller);
  if (call.flags & kReadsArgumentsSite)
    return true;
  GlobalId callee = callers.calleeOf(caller, call.callee);
  const FunctionEffects *effects = context.decisions.effectsOf(callee);
  unsigned addresses = 0;
  bool isWritten = false;
  for (auto [i, actual] :
       enumerate(slice(module.summary.jumpFunctions, call.arguments))) {
    bool isVariable =
        actual.kind == JumpFunction::Kind::Aggregate && actual.value == number;
    bool isFormal =
        actual.isPointerPassedOn() && uint64_t(actual.source) + 1 == number;
    if (!isVariable && !isFormal)
      continue;
    if (!effects || i >= effects->parameters.size() ||
        (effects->parameters[i] & kParamMayEscape))
      return false;
    ++addresses;
    isWritten |= effects->parameters[i] & kParamMayWrite;
  }
  return !isWritten || addresses == 1;
}

bool Pointees::isPrivate(GlobalId caller, uint64_t number) const {
  auto [entry, isNew] = known.try_emplace({caller, number}, true);
  if (isNew)
    entry->second = all_of(slice(program.moduleRef(caller).summary.calls,
                                 program.function(caller)->calls),
                           [&](const CallEdge &call) {
                             return isPrivateIn(caller, call, number);
                           });
  return entry->second;
}

} // namespace gpulto
