//===- MemoryPropagate.cpp - How kernels are launched, for the report -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// How many sectors an access moves depends on the block: jobs, which see
// bodies, get the shapes of the blocks that launches have.
//
// Linear in launches and parameters, except for sorting.
//
//===----------------------------------------------------------------------===//

#include "ipa/bodies/Passes.h"
#include "ipa/pointers/KnownValues.h"
#include "ipa/runtime/GeometryLimits.h"
#include "summary/CombinedModule.h"
#include "summary/Remarks.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace llvm;

namespace gpulto {

/// Shapes of one kernel; Rodinia's and HeCBench's have one or two.
static constexpr size_t kMostShapes = 4;

/// Returns the threads of a block along \p axis, 0 if that is not known, or not
/// possible.
static uint32_t sideOf(ArrayRef<ValueLattice> geometry, uint32_t axis) {
  const ValueLattice &block = geometry[kBlockX + axis];
  bool isKnown =
      block.isConstant() && block.value() <= kGeometryLimits[kBlockX + axis];
  return isKnown ? static_cast<uint32_t>(block.value()) : 0;
}

/// Returns the shape of a launch, if its block is known.
static std::optional<LaunchShape> shapeOf(ArrayRef<ValueLattice> geometry) {
  LaunchShape shape;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const ValueLattice &grid = geometry[kGridX + axis];
    shape.block[axis] = sideOf(geometry, axis);
    if (!shape.block[axis])
      return std::nullopt;
    if (grid.width() == 32 && !grid.isTop()) {
      shape.grid[axis].low = std::max<uint64_t>(grid.low(), 1);
      shape.grid[axis].high =
          std::min<uint64_t>(grid.high(), kGeometryLimits[axis]);
    }
  }
  constexpr uint64_t kMostThreads = 1024;
  if (uint64_t(shape.block[0]) * shape.block[1] * shape.block[2] > kMostThreads)
    return std::nullopt;
  return shape;
}

static bool hasSameBlock(const LaunchShape &a, const LaunchShape &b) {
  return a.block == b.block;
}

/// Adds a launch of \p shape at \p place.
static void addLaunch(const LaunchShape &shape, std::string place,
                      KernelLaunches &launches) {
  auto known = find_if(launches.shapes, [&](const LaunchShape &other) {
    return hasSameBlock(shape, other);
  });
  size_t number = known - launches.shapes.begin();
  if (known == launches.shapes.end()) {
    if (number == kMostShapes)
      return;
    launches.shapes.push_back(shape);
    launches.places.emplace_back();
  } else {
    for (auto [all, one] : zip(known->grid, shape.grid)) {
      all.low = std::min(all.low, one.low);
      all.high = std::max(all.high, one.high);
    }
  }
  std::vector<std::string> &places = launches.places[number];
  if (!is_contained(places, place))
    places.push_back(std::move(place));
}

/// Adds a launch of which \p sides are known.
static void addSides(const std::array<uint32_t, 3> &sides, bool isFirst,
                     KernelLaunches &launches) {
  for (auto [all, one] : zip(launches.sides, sides))
    all = isFirst || all == one ? one : 0;
}

/// Adds the parameters that \p arguments, those of a launch, say that count.
static void addCounting(ArrayRef<JumpFunction> arguments,
                        std::vector<CountingParameter> &counting) {
  for (auto [number, argument] : enumerate(arguments)) {
    if (!argument.isCounter)
      continue;
    CountingParameter parameter{static_cast<uint32_t>(number),
                                argument.alignLog2};
    auto place =
        lower_bound(counting, parameter, [](const auto &a, const auto &b) {
          return a.number < b.number;
        });
    if (place == counting.end() || place->number != parameter.number)
      counting.insert(place, parameter);
    else
      place->alignLog2 = std::min(place->alignLog2, parameter.alignLog2);
  }
}

/// Returns the names of the parameters of \p function, as far as they have any.
static std::vector<std::string> namesOf(const CombinedSummary &program,
                                        GlobalId function) {
  const ModuleSummary &module = program.moduleRef(function).summary;
  std::vector<std::string> names;
  for (const ParameterRecord &parameter : program.parameters(function))
    names.push_back(parameter.name
                        ? module.sourceNames[parameter.name - 1].text.str()
                        : std::string());
  return names;
}

/// As above, of \p kernel; of device code that clang compiled, the host's debug
/// information has the names, where it passes no parameter in parts.
static std::vector<std::string> namesOf(const CombinedSummary &program,
                                        GlobalId kernel, GlobalId stub) {
  std::vector<std::string> names = namesOf(program, kernel),
                           others = namesOf(program, stub);
  if (others.size() == names.size())
    for (auto [name, other] : zip(names, others))
      if (name.empty())
        name = other;
  return names;
}

void propagateMemory(WpaContext &context, const Callers &callers,
                     const KnownValues &values) {
  const CombinedSummary &program = context.program;
  const ConstantsSolver &solver = values.solver;
  std::map<GlobalId, KernelLaunches> kernels;
  DenseSet<GlobalId> haveSides;
  for (const BodyLattice &body : solver.bodies()) {
    if (!body.isReached)
      continue;
    for (const LaunchSite &launch :
         slice(program.moduleRef(body.id).summary.launches,
               program.function(body.id)->launches)) {
      std::vector<ValueLattice> geometry = solver.launchGeometry(body, launch);
      std::optional<LaunchShape> shape = shapeOf(geometry);
      ArrayRef<JumpFunction> arguments =
          launch.byStubFormals
              ? ArrayRef<JumpFunction>()
              : slice(program.moduleRef(body.id).summary.jumpFunctions,
                      launch.arguments);
      for (GlobalId stub : solver.stubsOf(body, launch))
        for (GlobalId kernel : program.kernelsOf(stub)) {
          KernelLaunches &launches = kernels[kernel];
          if (shape)
            addLaunch(*shape, placeText(program, body.id, launch.place),
                      launches);
          else
            addSides(
                {sideOf(geometry, 0), sideOf(geometry, 1), sideOf(geometry, 2)},
                haveSides.insert(kernel).second, launches);
          addCounting(arguments, launches.counting);
        }
    }
  }
  for (GlobalId id : callers.bodies())
    if (program.symbol(id).has(kKernelStub))
      for (GlobalId kernel : program.deviceCounterparts(id))
        kernels[kernel].parameters = namesOf(program, kernel, id);
  for (auto &[kernel, launches] : kernels)
    context.decisions.functions[kernel].launches = std::move(launches);
}

} // namespace gpulto
