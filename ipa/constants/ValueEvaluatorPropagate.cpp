//===- ValueEvaluatorPropagate.cpp - Jump functions in terms of bodies ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: what the jump functions of a body are, by what is known of its
// parameters. All of it depends on these only, but for what is stored in
// variables of the program: whoever reads that is visited again when it
// changes.
//
// Source: D. Callahan, K. D. Cooper, K. Kennedy, L. Torczon, "Interprocedural
// Constant Propagation", SIGPLAN 1986; GCC's ipa-cp and ipa-reference treat
// read-only variables alike.
//
//===----------------------------------------------------------------------===//

#include "ipa/constants/BodyPointees.h"
#include "ipa/constants/MemoryEvaluator.h"
#include "ipa/constants/SolverBodies.h"
#include "ipa/constants/ValueEvaluator.h"
#include "ipa/constants/VariableContents.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace gpulto {

using Kind = JumpFunction::Kind;

ValueLattice
ValueEvaluator::evaluateAddress(const CombinedModule &module,
                                const JumpFunction &function) const {
  GlobalId named = module.firstSymbol + function.source;
  GlobalId id = program.definition(named);
  const SymbolRecord &symbol = program.symbol(id == kNone ? named : id);
  ValueLattice result = ValueLattice::varying();
  // The copies of a copyable constant have no common address, and each thread
  // has a thread-local variable of its own.
  if (id != kNone && !symbol.has(kCopyable) && !symbol.has(kThreadLocal) &&
      symbol.kind != SymbolKind::IFunc)
    result = ValueLattice::address(id, function.value);
  JumpFunction facts;
  facts.addressSpace = symbol.addressSpace;
  facts.nonNull = id != kNone && symbol.kind != SymbolKind::Alias;
  if (const VariableSummary *variable =
          id == kNone ? nullptr : program.variable(id))
    facts.alignLog2 = std::min<unsigned>(
        variable->alignLog2,
        function.value ? countr_zero(function.value) : variable->alignLog2);
  result.addFacts(facts);
  return result;
}

/// Evaluates what \p function is composed of, which ends (SummaryFormat), and
/// then itself.
ValueLattice ValueEvaluator::evaluate(const BodyLattice &caller,
                                      const CombinedModule &module,
                                      const JumpFunction &function) const {
  if (function.kind != JumpFunction::Kind::Composed)
    return evaluateOnce(caller, module, function);
  ArrayRef<JumpFunction> table = module.summary.jumpFunctions;
  ValueLattice result = evaluate(caller, module, table[function.source]);
  if (function.count)
    result = ValueLattice::combine(
        function, result, evaluate(caller, module, table[function.count - 1]));
  else
    result = ValueLattice::passThrough(function, result);
  result.addFacts(function);
  return result;
}

/// Returns how many bytes call \p number of \p caller, of cudaMalloc or its
/// like, asks for at least.
uint64_t ValueEvaluator::leastAllocated(const BodyLattice &caller,
                                        uint32_t number) const {
  constexpr unsigned kSizeArgument = 1, kSizeBits = 64;
  ArrayRef<JumpFunction> actuals = bodies.actualsOf(caller, number);
  if (actuals.size() <= kSizeArgument)
    return 0;
  ValueLattice size = valueOf(caller, actuals[kSizeArgument]);
  return !size.isTop() && size.width() == kSizeBits ? size.low() : 0;
}

/// What the call that \p function names returns, as far as that asks.
ValueLattice ValueEvaluator::evaluateCall(const BodyLattice &caller,
                                          const JumpFunction &function) const {
  ParameterLattice returned = memory.evaluateResult(caller, function);
  if (!returned.hasParts)
    return ValueLattice(); // the caller is not reached yet
  if (!returned.parts.empty())
    return readParts(returned.parts, function.value, function.bitWidth);
  bool isWhole =
      function.value == 0 && returned.whole.width() == function.bitWidth;
  return returned.whole.isTop() || isWhole
             ? returned.whole
             : ValueLattice::varying(function.bitWidth);
}

ValueLattice
ValueEvaluator::evaluateAllocation(const BodyLattice &caller,
                                   const JumpFunction &function) const {
  ValueLattice result =
      ValueLattice::allocation(caller.id, function.source, caller.entered);
  if (uint64_t bytes =
          function.parameter ? leastAllocated(caller, function.source) : 0)
    result.addLasting(bytes);
  return result;
}

/// What the formal parameter that \p function names is.
ValueLattice
ValueEvaluator::evaluateFormal(const BodyLattice &caller,
                               const JumpFunction &function) const {
  ArrayRef<ParameterRecord> formals = program.parameters(caller.id);
  if (function.source >= formals.size())
    return ValueLattice::varying(function.bitWidth);
  // Of a parameter that nothing is known of, operations still tell something.
  bool isOfFormal = function.source < caller.parameters.size();
  return ValueLattice::passThrough(
      function, isOfFormal
                    ? caller.parameters[function.source].whole
                    : ValueLattice::varying(formals[function.source].bitWidth));
}

/// What is behind the formal parameter that \p function names.
ValueLattice
ValueEvaluator::evaluatePointee(const BodyLattice &caller,
                                const JumpFunction &function) const {
  if (function.source >= caller.parameters.size() ||
      (!function.count && !pointees.keepsPointee(caller, function.source)))
    return ValueLattice::varying(function.bitWidth);
  const ParameterLattice &formal = caller.parameters[function.source];
  if (!formal.hasParts)
    return ValueLattice(); // the caller is not reached yet
  return readParts(formal.parts, function.value, function.bitWidth);
}

/// As evaluateOnce(), without the facts that \p function has.
ValueLattice ValueEvaluator::evaluateKind(const BodyLattice &caller,
                                          const CombinedModule &module,
                                          const JumpFunction &function) const {
  switch (function.kind) {
  case Kind::Unknown:
  case Kind::Aggregate:
  case Kind::LoadVariable:
  case Kind::CallMemory:
  case Kind::Composed:
    return ValueLattice::varying(function.bitWidth);
  case Kind::CallResult:
    return evaluateCall(caller, function);
  case Kind::Memory: {
    ParameterLattice known = memory.evaluateMemory(caller, function);
    return known.hasParts
               ? readParts(known.parts, function.value, function.bitWidth)
               : ValueLattice();
  }
  case Kind::Constant:
    return ValueLattice::constant(function.value, function.bitWidth);
  case Kind::Null:
    return ValueLattice::constant(0, 0);
  case Kind::SymbolAddress:
    return evaluateAddress(module, function);
  case Kind::VariablePart:
    return evaluateVariable(caller, function);
  case Kind::Allocation:
    return evaluateAllocation(caller, function);
  case Kind::PassThrough:
  case Kind::Ancestor:
    return evaluateFormal(caller, function);
  case Kind::LoadAggregate:
    return evaluatePointee(caller, function);
  }
  llvm_unreachable("all kinds are above");
}

/// As evaluate(), of what is not composed.
ValueLattice ValueEvaluator::evaluateOnce(const BodyLattice &caller,
                                          const CombinedModule &module,
                                          const JumpFunction &function) const {
  ValueLattice result = evaluateKind(caller, module, function);
  result.addFacts(function);
  // What a launch passes as a pointer points to global memory.
  bool isOfLaunch = function.kind == Kind::PassThrough ||
                    function.kind == Kind::Ancestor ||
                    function.kind == Kind::LoadAggregate;
  if (isOfLaunch && function.bitWidth == 0 &&
      program.symbol(caller.id).has(kKernel)) {
    JumpFunction global;
    global.addressSpace = kGlobalAddressSpace;
    result.addFacts(global);
  }
  return result;
}

/// What the bytes of the variable \p id that \p function, of \p body, names
/// hold at the beginning.
ValueLattice ValueEvaluator::initialValue(const BodyLattice &body, GlobalId id,
                                          const JumpFunction &function) const {
  const VariableSummary &variable = *program.variable(id);
  if (variable.zeroInitialized)
    return ValueLattice::constant(0, function.bitWidth);
  const CombinedModule &module = program.moduleRef(id);
  std::vector<PartLattice> parts;
  for (const AggregatePart &part : slice(
           module.summary.aggregateParts,
           variable.initializer.kind == Kind::Aggregate
               ? Range{variable.initializer.source, variable.initializer.count}
               : Range())) {
    ValueLattice value = evaluate(body, module, part.value);
    value.forgetSymbol();
    addPart(parts, part.byteOffset, value);
  }
  return readParts(parts, function.value, function.bitWidth);
}

/// What all that may be stored in the bytes of a variable that \p function of
/// \p body names has in common.
ValueLattice
ValueEvaluator::evaluateVariable(const BodyLattice &body,
                                 const JumpFunction &function) const {
  GlobalId id = program.definitionFor(body.id, function.source);
  const VariableSummary *variable =
      id == kNone ? nullptr : program.variable(id);
  uint64_t begin = function.value, size = bytesOf(function.bitWidth);
  if (!variable || !variables.isKnown(id) || begin > variable->sizeBytes ||
      size > variable->sizeBytes - begin)
    return ValueLattice::varying(function.bitWidth);
  variables.noteReader(id);
  ValueLattice result =
      function.parameter ? ValueLattice() : initialValue(body, id, function);
  variables.meetStored(id, function, result);
  return result;
}

} // namespace gpulto
