//===- ConstantsPropagate.cpp - Constants through calls and launches ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: find what each parameter is at every entry of its function, across
// calls on both sides and across launches.
//
//   int main() { run(1024); }
//   static void run(int n) { scale<<<n / 256, 256>>>(p, n, 2.0f); }
//   __global__ void scale(float *p, int n, float f) { ... helper(n); }
//
//   run: n = 1024; scale: n = 1024, f = 2, grid 4, block 256; helper: n = 1024
//
// 1. KnownValues: the greatest fixed point over calls and launches, with clones
//    for contexts that the other callers spoil, and what is known of pointers.
// 2. Here: what is left above "nothing known" becomes facts of a body; remarks
//    say which contexts prove it.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/plans/Explain.h"
#include "ipa/plans/LaunchCounts.h"
#include "ipa/pointers/KnownValues.h"
#include "ipa/runtime/GeometryLimits.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

/// NVPTX's.
static constexpr uint8_t kGlobalAddressSpace = 1;

static ValueFact makeFact(uint32_t parameter, const ValueLattice &value) {
  ValueFact fact;
  fact.parameter = parameter;
  fact.bitWidth = static_cast<uint16_t>(value.width());
  if (value.isConstant())
    fact.kind = ValueKind::Constant;
  else if (value.state() == ValueLattice::State::Symbol)
    fact.kind = ValueKind::Address;
  if (fact.kind != ValueKind::Bounds) {
    fact.value = value.value();
    fact.symbol = value.symbol();
  }
  fact.low = value.low();
  fact.high = value.high();
  fact.knownZeros = value.knownZeros();
  fact.knownOnes = value.knownOnes();
  fact.alignLog2 = static_cast<uint8_t>(value.alignLog2());
  fact.addressSpace = static_cast<uint8_t>(value.addressSpace());
  fact.isNonNull = value.isNonNull();
  return fact;
}

/// Returns what the geometry \p values say beyond the limits of the hardware,
/// which device code knows anyway; empty when that is nothing.
static std::vector<GeometryFact> makeGeometry(ArrayRef<ValueLattice> values) {
  std::vector<GeometryFact> facts;
  bool isKnown = false;
  for (auto [value, limit] : zip(values, kGeometryLimits)) {
    GeometryFact fact;
    fact.high = limit;
    if (value.width() == 32) {
      fact.low = std::max<uint64_t>(value.low(), 1);
      fact.high = std::min<uint64_t>(value.high(), limit);
    }
    if (fact.low > fact.high)
      return {}; // no launch succeeds
    isKnown |= fact.low > 1 || fact.high < limit;
    facts.push_back(fact);
  }
  if (!isKnown)
    facts.clear();
  return facts;
}

/// Adds to \p facts the constant bytes of \p part of parameter \p parameter, a
/// number that is no constant: fields of fewer bits travel in one register.
/// Where all are zero it is a small number, or a multiple.
static void addKnownBytes(uint32_t parameter, const PartLattice &part,
                          std::vector<ValueFact> &facts) {
  constexpr unsigned kByteBits = 8;
  if (part.value.isConstant() || part.value.width() % kByteBits)
    return;
  std::vector<ValueFact> bytes;
  uint64_t known = part.value.knownZeros() | part.value.knownOnes();
  for (unsigned i = 0; i < part.value.width() / kByteBits; ++i) {
    if (uint8_t(known >> (i * kByteBits)) != UINT8_MAX)
      continue;
    uint8_t byte = uint8_t(part.value.knownOnes() >> (i * kByteBits));
    ValueFact &fact = bytes.emplace_back(
        makeFact(parameter, ValueLattice::constant(byte, kByteBits)));
    fact.isPart = true;
    fact.byteOffset = part.byteOffset + i;
  }
  if (any_of(bytes, [](const ValueFact &fact) { return fact.value != 0; }))
    append_range(facts, bytes);
}

static FunctionFacts factsOf(const CombinedSummary &program,
                             const Callers &callers, const BodyLattice &body,
                             const KnownValues &values) {
  ArrayRef<ParameterRecord> formals = program.parameters(body.id);
  FunctionFacts facts;
  if (!body.isReached)
    return facts;
  for (auto [i, known] : enumerate(body.parameters)) {
    if (formals[i].flags & kParamUnused)
      continue;
    bool isNoAlias = values.pointers.isNoAlias(body, i);
    bool isUnwritten = values.unwritten.isUnwritten(body, i);
    if (known.whole.hasFacts() || isNoAlias || isUnwritten) {
      facts.values.push_back(makeFact(i, known.whole));
      facts.values.back().isNoAlias = isNoAlias;
      facts.values.back().isUnwritten = isUnwritten;
      if (program.imageOf(body.id) != kHostImage)
        facts.values.back().dereferenceableBytes =
            values.lasting.bytes(body, i);
    }
    // What a pointer points to serves the launches in the body only.
    bool isByVal = formals[i].flags & kParamByVal;
    for (const PartLattice &part : known.parts) {
      bool isPartUnwritten =
          isByVal && values.unwritten.isPartUnwritten(body, i, part.byteOffset);
      if (!isByVal || !(part.value.hasFacts() || isPartUnwritten))
        continue;
      ValueFact fact = makeFact(i, part.value);
      fact.isUnwritten = isPartUnwritten;
      fact.isPart = true;
      fact.byteOffset = part.byteOffset;
      // What a launch passes as a pointer points to global memory.
      if (program.symbol(body.id).has(kKernel) && part.value.width() == 0)
        fact.addressSpace = kGlobalAddressSpace;
      facts.values.push_back(fact);
      addKnownBytes(i, part, facts.values);
    }
  }
  facts.apart = values.apart.of(body).vec();
  if (!body.geometry.empty())
    facts.geometry = makeGeometry(body.geometry);
  // A declared block size changes the attributes that the runtime reports.
  facts.mayDeclareBlock = !facts.geometry.empty() &&
                          program.symbol(body.id).has(kKernel) &&
                          !callers.isQueried(body.id);
  return facts;
}

static std::vector<CallRedirect> redirectsOf(const CombinedSummary &program,
                                             const ConstantsSolver &solver,
                                             BodyIndex index) {
  std::vector<CallRedirect> redirects;
  if (!solver.hasRedirections(index))
    return redirects;
  uint32_t calls = program.function(solver.bodies()[index].id)->calls.count;
  for (uint32_t number = 0; number < calls; ++number) {
    BodyIndex clone = solver.redirected(index, number);
    bool isHandle = clone == kNone;
    if (isHandle)
      clone = solver.launched(index, number);
    if (clone != kNone)
      redirects.push_back({number, solver.bodies()[clone].id,
                           solver.bodies()[clone].clone, isHandle});
  }
  return redirects;
}

/// Notes what the host's functions return, for callers in other partitions:
/// what holds for the definition and for all clones, since LTRANS replaces
/// results before it lets calls enter clones.
static void decideReturns(WpaContext &context, const Callers &callers,
                          const ConstantsSolver &solver) {
  DenseMap<GlobalId, ValueLattice> returned;
  for (const BodyLattice &body : solver.bodies()) {
    const JumpFunction &result = context.program.function(body.id)->returned;
    bool isUnknown =
        result.kind == JumpFunction::Kind::Unknown && !result.hasFacts();
    if (!isUnknown && body.isReached && callers.isFinal(body.id) &&
        context.program.imageOf(body.id) == kHostImage)
      returned[body.id].meet(solver.returned(body));
  }
  for (GlobalId id : callers.bodies())
    if (auto found = returned.find(id);
        found != returned.end() && found->second.hasFacts() &&
        found->second.state() != ValueLattice::State::Symbol)
      context.decisions.functions[id].returned = {makeFact(0, found->second)};
}

std::unique_ptr<KnownValues> propagateConstants(WpaContext &context,
                                                const Callers &callers,
                                                Statistics &statistics) {
  auto values = std::make_unique<KnownValues>(context, callers);
  const ConstantsSolver &solver = values->solver;
  // Definitions come before clones, and clones in the order of their numbers.
  for (auto [i, body] : enumerate(solver.bodies())) {
    BodyPlan plan;
    plan.clone = body.clone;
    plan.facts = factsOf(context.program, callers, body, *values);
    plan.redirects = redirectsOf(context.program, solver, i);
    if (plan.clone || !plan.facts.empty() || !plan.redirects.empty())
      context.decisions.plans[body.id].push_back(std::move(plan));
  }
  decideReturns(context, callers, solver);
  explainConstants(context, callers, solver);
  values->unwritten.explain(context);
  values->lasting.explain(context);
  countLaunches(context, callers, solver, statistics);
  return values;
}

} // namespace gpulto
