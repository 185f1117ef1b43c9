//===- CallEvaluatorPropagate.cpp - What calls pass -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/constants/BodyPointees.h"
#include "ipa/constants/CallEvaluator.h"
#include "ipa/constants/MemoryEvaluator.h"
#include "ipa/constants/SolverBodies.h"
#include "ipa/constants/ValueEvaluator.h"
#include "summary/CombinedModule.h"

using namespace llvm;

namespace gpulto {

/// Returns what \p value, passed by \p caller, is as \p formal of \p callee.
ValueLattice CallEvaluator::fit(GlobalId callee, const ParameterRecord &formal,
                                const BodyLattice &caller,
                                ValueLattice value) const {
  // A bool is a byte on the host's side of a launch.
  if (value.isConstant() && value.width() == 8 && formal.bitWidth == 1)
    value = ValueLattice::constant(value.value() & 1, 1);
  // The host's symbols mean nothing in device code.
  if (program.imageOf(caller.id) != program.imageOf(callee))
    value.forgetSymbol();
  if (program.has(callee, kKernel) && (formal.flags & kParamIsPointer)) {
    JumpFunction global;
    global.addressSpace = kGlobalAddressSpace;
    value.addFacts(global);
  }
  // A value of another width is not this parameter's.
  if (!value.isTop() && value.width() != formal.bitWidth)
    value = ValueLattice::varying(formal.bitWidth);
  return value;
}

ParameterLattice CallEvaluator::evaluateArgument(GlobalId callee,
                                                 uint32_t index,
                                                 const BodyLattice &caller,
                                                 const JumpFunction &actual,
                                                 bool asksParts) const {
  const CombinedModule &module = program.moduleRef(caller.id);
  const ParameterRecord &formal = program.parameters(callee)[index];
  auto partsOf = [&] {
    if (asksParts)
      return memory.evaluateAggregate(caller, module, actual);
    ParameterLattice unknown;
    unknown.whole = ValueLattice::varying();
    unknown.hasParts = true;
    unknown.isPrivate = pointees.leadsToPrivate(caller, actual);
    return unknown;
  };
  if (formal.flags & kParamByVal)
    return partsOf();
  // Device code cannot follow the host's pointers.
  ParameterLattice result;
  result.hasParts = true;
  if ((formal.flags & kParamIsPointer) && program.imageOf(callee) == kHostImage)
    result = partsOf();
  result.whole =
      fit(callee, formal, caller, values.evaluate(caller, module, actual));
  return result;
}

ValueLattice CallEvaluator::argument(BodyIndex caller, uint32_t number,
                                     uint32_t index) const {
  BodyIndex callee = bodies.calleeOf(caller, number);
  const BodyLattice &from = bodies[caller];
  ArrayRef<JumpFunction> actuals =
      program.jumpFunctions(from.id, program.calls(from.id)[number].arguments);
  if (callee == kNone || index >= actuals.size())
    return ValueLattice::varying();
  GlobalId entered = bodies[callee].id;
  const ParameterRecord &formal = program.parameters(entered)[index];
  // An aggregate has no value as a whole.
  if (formal.flags & kParamByVal)
    return ValueLattice::varying();
  return fit(entered, formal, from,
             values.evaluate(from, program.moduleRef(from.id), actuals[index]));
}

BodyLattice CallEvaluator::enter(const BodyLattice &caller, uint32_t number,
                                 const BodyLattice &callee,
                                 const BitVector &used, bool asksAll) const {
  BodyLattice entered;
  entered.id = callee.id;
  entered.index = callee.index;
  entered.entered = caller.entered.followedBy(caller.id, number);
  ArrayRef<JumpFunction> actuals = bodies.actualsOf(caller, number);
  for (uint32_t i = 0; i < used.size(); ++i) {
    const ParameterRecord &record = program.parameters(callee.id)[i];
    ParameterLattice formal = unknownBytes();
    formal.whole = ValueLattice::varying(record.bitWidth);
    if (used.test(i)) {
      formal =
          evaluateArgument(callee.id, i, caller,
                           i < actuals.size() ? actuals[i] : JumpFunction());
    } else if (i < actuals.size()) {
      formal.isPrivate = pointees.leadsToPrivate(caller, actuals[i]);
      if (asksAll && !(record.flags & kParamByVal))
        formal.whole =
            fit(callee.id, record, caller, values.valueOf(caller, actuals[i]));
    }
    entered.parameters.push_back(std::move(formal));
  }
  return entered;
}

BodyLattice CallEvaluator::entry(BodyIndex caller, uint32_t number) const {
  const BodyLattice &callee = bodies[bodies.calleeOf(caller, number)];
  BitVector all(program.parameters(callee.id).size(), true);
  BodyLattice entered = enter(bodies[caller], number, callee, all);
  entered.clone = callee.clone;
  entered.isReached = true;
  return entered;
}

} // namespace gpulto
