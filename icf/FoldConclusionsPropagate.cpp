//===- FoldConclusionsPropagate.cpp - What a class has in common (WPA) ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Bodies of one form may have summaries that differ: what LGEN concluded may
// rest on promises that are not in the form. Only bodies with the same
// conclusions fold, so that the summary of any of them holds for all.
//
// Linear in what the summary has of the body.
//
//===----------------------------------------------------------------------===//

#include "icf/FoldRoles.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// Adds what \p j says without the symbol that it names, which the form has.
static void addTo(StableHasher &hasher, const ModuleSummary &summary,
                  const JumpFunction &j) {
  using Kind = JumpFunction::Kind;
  hasher.add(j.kind);
  hasher.add(j.bitWidth);
  hasher.add(j.operation);
  hasher.add(j.alignLog2);
  hasher.add(j.addressSpace);
  hasher.add(j.nonNull);
  hasher.add(j.low);
  hasher.add(j.high);
  if (j.kind == Kind::Composed) {
    addTo(hasher, summary, summary.jumpFunctions[j.source]);
    if (j.count)
      addTo(hasher, summary, summary.jumpFunctions[j.count - 1]);
  }
  if (j.kind == Kind::PassThrough || j.kind == Kind::Ancestor ||
      j.kind == Kind::LoadAggregate || j.kind == Kind::Allocation ||
      j.kind == Kind::CallResult || j.kind == Kind::CallMemory)
    hasher.add(j.source);
  // The place of a second operand in its table means nothing.
  hasher.add(j.kind == Kind::Composed ? j.count != 0 : j.count);
  bool isPassedOn = j.isPointerPassedOn();
  hasher.add(isPassedOn ? 0 : j.parameter);
  hasher.add(j.value);
  if (j.kind != Kind::Aggregate && j.kind != Kind::Memory && !isPassedOn)
    return;
  for (const AggregatePart &part :
       ArrayRef(summary.aggregateParts)
           .slice(isPassedOn ? j.parameter : j.source, j.count)) {
    hasher.add(uint32_t(part.byteOffset));
    addTo(hasher, summary, part.value);
  }
}

static void addTo(StableHasher &hasher, const PointerSource &source) {
  hasher.add(source.parameter);
  hasher.add(source.isPart);
  hasher.add(source.byteOffset);
}

static void addTo(StableHasher &hasher, const PointerExtent &extent) {
  addTo(hasher, extent.pointer);
  for (const auto *sums : {&extent.lows, &extent.highs, &extent.premises}) {
    hasher.add(sums->size());
    for (const LaunchSum &sum : *sums)
      hasher.add(StringRef(sumText(sum)));
  }
}

Digest digestOfConclusions(const CombinedSummary &program, GlobalId id) {
  const ModuleSummary &summary = program.moduleRef(id).summary;
  StableHasher hasher;
  if (const VariableSummary *variable = program.variable(id)) {
    hasher.add(variable->sizeBytes);
    hasher.add(variable->alignLog2);
    return hasher.finish();
  }
  const FunctionSummary &function = *program.function(id);
  hasher.add(function.flags);
  hasher.add(function.memoryEffects);
  hasher.add(function.attributesDigest);
  for (const ParameterRecord &parameter : program.parameters(id)) {
    hasher.add(parameter.flags);
    hasher.add(parameter.bitWidth);
    hasher.add(parameter.addressSpace);
    hasher.add(parameter.alignLog2);
    hasher.add(parameter.byValBytes);
    hasher.add(parameter.reachBytes);
    hasher.add(parameter.ownReachBytes);
  }
  auto addAll = [&](Range range) {
    hasher.add(range.count);
    for (const JumpFunction &j : slice(summary.jumpFunctions, range))
      addTo(hasher, summary, j);
  };
  for (const CallEdge &call : slice(summary.calls, function.calls)) {
    hasher.add(call.flags);
    addAll(call.arguments);
  }
  for (const LaunchSite &launch : slice(summary.launches, function.launches)) {
    hasher.add(launch.kind);
    hasher.add(launch.byStubFormals);
    addAll(launch.geometry);
    addAll(launch.arguments);
  }
  for (const StubArgument &argument :
       slice(summary.stubArguments, function.stubArguments)) {
    hasher.add(argument.kernelArgument);
    hasher.add(argument.byteOffset);
    hasher.add(argument.formal);
    hasher.add(argument.isAggregate);
  }
  // In the order of the symbols' numbers, which differs between modules.
  std::vector<uint8_t> uses;
  for (const ReferenceEdge &edge :
       slice(summary.references, function.references))
    uses.push_back(edge.flags);
  llvm::sort(uses);
  for (uint8_t flags : uses)
    hasher.add(flags);
  addTo(hasher, summary, function.returned);
  addAll(function.outputs);
  for (const VariableStore &store :
       slice(summary.variableStores, function.variableStores)) {
    hasher.add(uint32_t(store.byteOffset));
    hasher.add(store.sizeBytes);
    addTo(hasher, summary, store.value);
  }
  for (const PointerExtent &extent :
       slice(summary.guardExtents, function.guardExtents))
    addTo(hasher, extent);
  for (const PointerMember &member : slice(summary.members, function.members)) {
    hasher.add(member.parameter);
    hasher.add(member.byteOffset);
    hasher.add(member.flags);
  }
  return hasher.finish();
}

} // namespace gpulto
