//===- SolverVariablesPropagate.cpp - What variables hold
//------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: what a load of a variable of the program yields: what all that is
// stored there anywhere, and its initializer, have in common.
//
//   static int width = 640;    init() { cudaMalloc(&out, n); }
//   launch() { kernel<<<...>>>(out, width); }
//
// Visits of bodies lower what is stored (visitStores); who has read the
// variable is visited again. Linear in stores and readers of each variable.
//
// Source: GCC's ipa-cp and ipa-reference treat read-only variables alike.
//
//===----------------------------------------------------------------------===//

#include "ipa/constants/ConstantsSolver.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

using Kind = JumpFunction::Kind;

/// Lowers what is known of variables to what \p body stores there too.
void ConstantsSolver::visitStores(const BodyLattice &body) {
  const CombinedModule &module = program.moduleRef(body.id);
  for (const VariableStore &store :
       slice(module.summary.variableStores,
             program.function(body.id)->variableStores)) {
    GlobalId variable = program.definitionFor(body.id, store.variable);
    if (variable == kNone || !context.decisions.isPlainlyWritten(variable))
      continue;
    ValueLattice value = evaluate(body, module, store.value);
    value.forgetSymbol();
    std::vector<StoredValue> &values = stored[variable];
    auto known = find_if(values, [&](const StoredValue &other) {
      return other.byteOffset == store.byteOffset &&
             other.sizeBytes == store.sizeBytes;
    });
    if (known == values.end())
      known = values.insert(
          known, {store.byteOffset, store.sizeBytes, ValueLattice()});
    if (!known->value.meet(value))
      continue;
    // Those of an earlier solution may not be reached in this one, yet.
    for (BodyIndex reader : readers[variable])
      if (allBodies[reader].isReached)
        enqueue(allBodies[reader]);
  }
}

/// Returns what all that may be stored in the bytes of a variable that
/// \p function of \p body names has in common.
ValueLattice
ConstantsSolver::evaluateVariable(const BodyLattice &body,
                                  const JumpFunction &function) const {
  ValueLattice result = ValueLattice::varying(function.bitWidth);
  GlobalId id = program.definitionFor(body.id, function.source);
  const VariableSummary *variable =
      id == kNone ? nullptr : program.variable(id);
  if (!variable || !context.decisions.isPlainlyWritten(id))
    return result;
  uint64_t begin = function.value, size = bytesOf(function.bitWidth);
  if (begin > variable->sizeBytes || size > variable->sizeBytes - begin)
    return result;
  asksVariables = true;
  if (visited != kNone)
    readers[id].insert(visited);
  if (variable->zeroInitialized) {
    result = ValueLattice::constant(0, function.bitWidth);
  } else {
    const CombinedModule &module = program.moduleRef(id);
    std::vector<PartLattice> parts;
    for (const AggregatePart &part :
         slice(module.summary.aggregateParts,
               variable->initializer.kind == Kind::Aggregate
                   ? Range{variable->initializer.source,
                           variable->initializer.count}
                   : Range())) {
      ValueLattice value = evaluate(body, module, part.value);
      value.forgetSymbol();
      addPart(parts, part.byteOffset, value);
    }
    result = readParts(parts, begin, function.bitWidth);
  }
  auto found = stored.find(id);
  if (found == stored.end())
    return result;
  for (const StoredValue &value : found->second) {
    if (value.byteOffset >= begin + size ||
        value.byteOffset + uint64_t(value.sizeBytes) <= begin)
      continue;
    bool isSame =
        value.byteOffset == begin && value.sizeBytes == size &&
        (value.value.isTop() || value.value.width() == function.bitWidth);
    result.meet(isSame ? value.value
                       : ValueLattice::varying(function.bitWidth));
  }
  return result;
}

} // namespace gpulto
