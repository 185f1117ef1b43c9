//===- LaunchCountsPropagate.cpp - How much is known of launches ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: measure what is known of launches at link time. Counts what was proven,
// used or not, about live code, without what guards test.
//
//   launch-sites               launches in host code
//     -unknown-kernel          ... of kernels that are not known
//     -block-known             x, y and z are constants
//     -block-bounded           else: bounds are tighter than the hardware's, of
//                              all three
//     -grid-known, -bounded
//   launch-scalars             numbers and bits that launches pass to kernels
//     -known, -bounded         constants; else: bounds or bits are known
//   launch-aggregates          aggregates that launches pass by value
//     -known                   a part is a constant
//
//   kernels-launched           kernels that launches may launch
//     -unknown                 ... or that may be launched from elsewhere
//     -unknown-REASON          ... for this reason (keyOf(UnknownCaller))
//     -block-known             one constant at all launches
//     -block-by-clone          else: a constant in each of the kernel's bodies
//     -block-bounded           else, as above
//     -grid-known, -by-clone, -bounded
//     -argument-known          an argument is one constant at all launches
//     -argument-part-known     else: a part of an aggregate is
//     -argument-by-clone       else: each of the kernel's bodies has a constant
//     -argument-bounded        else: bounds or bits of a number, or of a part
//                              of an aggregate, are known
//
// A launch in a function with clones counts once, with what all of them know; a
// launch of several possible kernels passes its arguments to each of them. A
// kernel counts once, not per architecture.
//
// Linear in launches and parameters, except for sorting.
//
//===----------------------------------------------------------------------===//

#include "ipa/plans/LaunchCounts.h"
#include "ipa/runtime/GeometryLimits.h"
#include "summary/CombinedModule.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace llvm;

namespace gpulto {

namespace {

/// How much is known of a value; the more, the higher.
enum class Knowledge : uint8_t { None, Bounded, Constant };

/// What is known in all of some contexts of a kernel.
struct KernelKnowledge {
  std::vector<ParameterLattice> parameters;
  std::vector<ValueLattice> geometry;

  void meet(ArrayRef<ParameterLattice> otherParameters,
            ArrayRef<ValueLattice> otherGeometry);
  Knowledge ofGeometry(Geometry first) const;
  bool hasConstant() const;
  bool hasConstantPart() const;
  bool hasBounds() const;
};

class LaunchCounter {
public:
  LaunchCounter(const WpaContext &context, const Callers &callers,
                const ConstantsSolver &solver, Statistics &statistics)
      : program(context.program), callers(callers), solver(solver),
        statistics(statistics) {}

  void run();

private:
  void collect(const BodyLattice &body);
  void countSite(const KernelKnowledge &site, bool isKnown);
  void countArguments(const KernelKnowledge &site, GlobalId kernel);
  void countKernel(GlobalId kernel);
  void countGeometry(const std::string &name, ArrayRef<KernelKnowledge> bodies,
                     const KernelKnowledge &all, Geometry first);
  void countIf(StringRef name, bool condition) {
    statistics.add(name, condition);
  }

  const CombinedSummary &program;
  const Callers &callers;
  const ConstantsSolver &solver;
  Statistics &statistics;
  /// Function, and position among its launches.
  using Site = std::pair<GlobalId, uint32_t>;
  std::map<Site, KernelKnowledge> sites;
  /// By site and kernel that it may launch.
  std::map<std::pair<Site, GlobalId>, KernelKnowledge> launches;
};

} // namespace

//===----------------------------------------------------------------------===//
// Knowledge
//===----------------------------------------------------------------------===//

static Knowledge knowledgeOf(const ValueLattice &value) {
  if (value.isConstant())
    return Knowledge::Constant;
  bool isNumber = value.width() && !value.isTop();
  return isNumber && value.hasFacts() ? Knowledge::Bounded : Knowledge::None;
}

void KernelKnowledge::meet(ArrayRef<ParameterLattice> otherParameters,
                           ArrayRef<ValueLattice> otherGeometry) {
  parameters.resize(std::max(parameters.size(), otherParameters.size()));
  for (auto [known, other] : zip(parameters, otherParameters))
    meetParameter(known, other);
  geometry.resize(kDimensions);
  for (auto [known, other] : zip(geometry, otherGeometry))
    known.meet(other);
}

/// Returns what is known of the grid (\p first: kGridX) or of the block.
Knowledge KernelKnowledge::ofGeometry(Geometry first) const {
  Knowledge result = Knowledge::Constant;
  for (uint32_t i = first; i < first + 3; ++i) {
    if (geometry[i].isConstant())
      continue;
    if (geometry[i].width() != 32 || geometry[i].isTop() ||
        (geometry[i].low() <= 1 && geometry[i].high() >= kGeometryLimits[i]))
      return Knowledge::None;
    result = Knowledge::Bounded;
  }
  return result;
}

bool KernelKnowledge::hasConstant() const {
  return any_of(parameters, [](const ParameterLattice &parameter) {
    return parameter.whole.isConstant();
  });
}

static bool hasPart(const ParameterLattice &parameter, Knowledge atLeast) {
  return any_of(parameter.parts, [=](const PartLattice &part) {
    return knowledgeOf(part.value) >= atLeast;
  });
}

bool KernelKnowledge::hasConstantPart() const {
  return any_of(parameters, [](const ParameterLattice &parameter) {
    return hasPart(parameter, Knowledge::Constant);
  });
}

bool KernelKnowledge::hasBounds() const {
  return any_of(parameters, [](const ParameterLattice &parameter) {
    return knowledgeOf(parameter.whole) != Knowledge::None ||
           hasPart(parameter, Knowledge::Bounded);
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void LaunchCounter::collect(const BodyLattice &body) {
  ArrayRef<LaunchSite> ofBody =
      slice(program.moduleRef(body.id).summary.launches,
            program.function(body.id)->launches);
  for (auto [number, launch] : enumerate(ofBody)) {
    Site site(body.id, number);
    std::vector<ValueLattice> geometry = solver.launchGeometry(body, launch);
    sites[site].meet({}, geometry);
    for (GlobalId stub : solver.stubsOf(body, launch))
      if (SmallVector<GlobalId, 2> kernels = program.kernelsOf(stub);
          !kernels.empty())
        launches[{site, kernels.front()}].meet(
            solver.launchArguments(body, launch, stub, kernels.front()),
            geometry);
  }
}

void LaunchCounter::countSite(const KernelKnowledge &site, bool isKnown) {
  Knowledge block = site.ofGeometry(kBlockX), grid = site.ofGeometry(kGridX);
  countIf("launch-sites", true);
  countIf("launch-sites-unknown-kernel", !isKnown);
  countIf("launch-sites-block-known", block == Knowledge::Constant);
  countIf("launch-sites-block-bounded", block == Knowledge::Bounded);
  countIf("launch-sites-grid-known", grid == Knowledge::Constant);
  countIf("launch-sites-grid-bounded", grid == Knowledge::Bounded);
}

void LaunchCounter::countArguments(const KernelKnowledge &site,
                                   GlobalId kernel) {
  for (auto [formal, argument] :
       zip(program.parameters(kernel), site.parameters)) {
    if (formal.flags & kParamByVal) {
      countIf("launch-aggregates", true);
      countIf("launch-aggregates-known",
              hasPart(argument, Knowledge::Constant));
    } else if (!(formal.flags & kParamIsPointer)) {
      Knowledge known = knowledgeOf(argument.whole);
      countIf("launch-scalars", true);
      countIf("launch-scalars-known", known == Knowledge::Constant);
      countIf("launch-scalars-bounded", known == Knowledge::Bounded);
    }
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void LaunchCounter::countGeometry(const std::string &name,
                                  ArrayRef<KernelKnowledge> bodies,
                                  const KernelKnowledge &all, Geometry first) {
  bool isKnown = all.ofGeometry(first) == Knowledge::Constant;
  bool isByClone = !isKnown && all_of(bodies, [=](const KernelKnowledge &body) {
    return body.ofGeometry(first) == Knowledge::Constant;
  });
  countIf(name + "-known", isKnown);
  countIf(name + "-by-clone", isByClone);
  countIf(name + "-bounded",
          !isByClone && all.ofGeometry(first) == Knowledge::Bounded);
}

void LaunchCounter::countKernel(GlobalId kernel) {
  bool isUnknown = callers.unknown(kernel) != UnknownCaller::None;
  std::vector<KernelKnowledge> bodies;
  KernelKnowledge all;
  for (uint32_t clone = 0; clone <= solver.cloneCount(kernel); ++clone) {
    const BodyLattice *body = solver.find(kernel, clone);
    if (isUnknown || !body || !body->isReached)
      continue;
    bodies.emplace_back().meet(body->parameters, body->geometry);
    all.meet(body->parameters, body->geometry);
  }
  if (bodies.empty() && !isUnknown)
    return; // no launch of it runs
  countIf("kernels-launched", true);
  countIf("kernels-launched-unknown", isUnknown);
  if (isUnknown) {
    StringRef reason = keyOf(callers.unknown(kernel));
    countIf(("kernels-launched-unknown-" + reason).str(), true);
    return;
  }
  countGeometry("kernels-block", bodies, all, kBlockX);
  countGeometry("kernels-grid", bodies, all, kGridX);
  auto hasAny = [](const KernelKnowledge &body) {
    return body.hasConstant() || body.hasConstantPart();
  };
  StringRef how = all.hasConstant()        ? "known"
                  : all.hasConstantPart()  ? "part-known"
                  : all_of(bodies, hasAny) ? "by-clone"
                  : all.hasBounds()        ? "bounded"
                                           : "";
  for (StringRef each : {"known", "part-known", "by-clone", "bounded"})
    countIf(("kernels-argument-" + each).str(), each == how);
}

void LaunchCounter::run() {
  for (const BodyLattice &body : solver.bodies())
    if (body.isReached)
      collect(body);
  std::map<Site, bool> isKnown;
  for (const auto &[launch, knowledge] : launches) {
    isKnown[launch.first] = true;
    countArguments(knowledge, launch.second);
  }
  for (const auto &[site, knowledge] : sites)
    countSite(knowledge, isKnown[site]);
  BitVector seen(program.symbolCount());
  for (GlobalId id : callers.bodies()) {
    if (!program.symbol(id).has(kKernelStub))
      continue;
    ArrayRef<GlobalId> kernels = program.deviceCounterparts(id);
    if (kernels.empty() || seen.test(kernels.front()))
      continue;
    seen.set(kernels.front());
    countKernel(kernels.front());
  }
}

void countLaunches(const WpaContext &context, const Callers &callers,
                   const ConstantsSolver &solver, Statistics &statistics) {
  LaunchCounter(context, callers, solver, statistics).run();
}

} // namespace gpulto
