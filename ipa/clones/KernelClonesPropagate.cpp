//===- KernelClonesPropagate.cpp - Kernels for some of their launches -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Goal: separate kernels for launches with different known constants.
//
//   blur<<<grid, 128>>>(out, in, width, 3);     blur.cp1: radius 3, block 128
//   blur<<<grid, 256>>>(out, in, width, 5);     blur:     radius 5, block 256
//
// In each round, for each stub all of whose launches are known:
// 1. collectCalls: the calls that launch only it. A call with several possible
//    configurations knows what all of them know.
// 2. contextsOf: calls are grouped by constants that are known at the call but
//    not in the kernel: arguments, parts of aggregates, grid and block.
//    Constants that save little compared with the rest do not split a group.
// 3. A group's gain is what its constants save, in every image, times how often
//    it launches; its cost the kernel's size in every image.
// 4. Groups worth their growth become clones, the best of the program first,
//    within the limits of ipa-cp. If no other launch is left, the least of a
//    kernel's groups keeps the kernel itself.
//
// A clone is one of the stub, too: the stub's address is the handle by which
// the runtime knows the kernel. It exists in every image or in none. Kernels
// whose handle is used for anything but launches are left alone
// (whyNoKernelClone).
//
// Linear in launches and kernels' parameters, except for sorting.
//
//===----------------------------------------------------------------------===//

#include "ipa/callers/ImageRemarks.h"
#include "ipa/clones/KernelClones.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace gpulto {

static constexpr uint64_t kOnce = 256;

std::vector<const LaunchContext *>
contextsWorthClones(ArrayRef<LaunchContext> contexts, bool others,
                    uint64_t perMille) {
  std::vector<const LaunchContext *> chosen;
  for (const LaunchContext &context : contexts)
    if (context.gain > 0 &&
        context.gain * 1000 / kOnce >= context.size * perMille)
      chosen.push_back(&context);
  others |= chosen.size() != contexts.size();
  stable_sort(chosen, [](const LaunchContext *a, const LaunchContext *b) {
    return a->gain > b->gain;
  });
  if (!others && !chosen.empty())
    chosen.pop_back();
  return chosen;
}

void KernelCloneChooser::collectCalls() {
  calls.clear();
  sharedLaunches.clear();
  for (BodyIndex i = 0; i < solver.bodies().size(); ++i) {
    const BodyLattice &body = solver.bodies()[i];
    ArrayRef<LaunchSite> sites = program.launches(body.id);
    if (!body.isReached || sites.empty())
      continue;
    std::map<std::pair<GlobalId, uint32_t>, Launches> found;
    for (const LaunchSite &launch : sites) {
      if (launch.kind == LaunchKind::Device ||
          solver.launched(i, launch.call) != kNone)
        continue;
      bool isOne = solver.launchesOne(body, launch);
      for (GlobalId stub : solver.stubsOf(body, launch))
        if (!isOne)
          sharedLaunches.insert(stub);
        else if (program.function(stub))
          found[{stub, launch.call}].push_back(&launch);
    }
    for (auto &[key, launches] : found)
      calls[key.first].emplace_back(Call(i, key.second), std::move(launches));
  }
}

//===----------------------------------------------------------------------===//
// What launches know
//===----------------------------------------------------------------------===//

/// Returns what \p launch, in \p caller, knows of \p stub's kernel, in the
/// order of KnownLaunchValue.
std::vector<KnownLaunchValue>
KernelCloneChooser::knownBy(BodyIndex caller, const LaunchSite &launch,
                            GlobalId stub) {
  using Of = KnownLaunchValue::Of;
  const BodyLattice &from = solver.bodies()[caller];
  GlobalId kernel = program.deviceCounterparts(stub).front();
  const BodyLattice *there = solver.find(kernel, 0);
  std::vector<KnownLaunchValue> known;
  if (!there || there->parameters.size() != program.parameters(kernel).size())
    return known;
  auto consider = [&](Of of, uint32_t index, uint32_t byte,
                      const ValueLattice &here, const ValueLattice *before) {
    if (here.isConstant() && !(before && before->isConstant()))
      known.push_back({of, index, byte, here.width(), here.value()});
  };
  std::vector<ParameterLattice> arguments =
      solver.launchArguments(from, launch, stub, kernel);
  for (auto [i, argument] : enumerate(arguments)) {
    const ParameterLattice &before = there->parameters[i];
    consider(Of::Parameter, i, 0, argument.whole, &before.whole);
    for (const PartLattice &part : argument.parts) {
      auto same = find_if(before.parts, [&](const PartLattice &other) {
        return other.byteOffset == part.byteOffset &&
               other.value.width() == part.value.width();
      });
      consider(Of::Part, i, part.byteOffset, part.value,
               same == before.parts.end() ? nullptr : &same->value);
    }
  }
  for (auto [i, component] : enumerate(solver.launchGeometry(from, launch)))
    consider(Of::Geometry, i, 0, component, &there->geometry[i]);
  llvm::sort(known);
  return known;
}

/// Returns what each of \p launches, which \p call makes, knows.
std::vector<KnownLaunchValue>
KernelCloneChooser::knownByAll(Call call, const Launches &launches,
                               GlobalId stub) {
  std::vector<KnownLaunchValue> known =
      knownBy(call.first, *launches.front(), stub);
  for (const LaunchSite *launch : ArrayRef(launches).drop_front()) {
    std::vector<KnownLaunchValue> other = knownBy(call.first, *launch, stub);
    erase_if(known, [&](const KnownLaunchValue &value) {
      return !is_contained(other, value);
    });
  }
  return known;
}

/// Returns what \p value saves in the kernel's images.
uint64_t KernelCloneChooser::gainOf(const KnownLaunchValue &value,
                                    GlobalId stub) {
  uint64_t gain = 0;
  for (GlobalId kernel : program.deviceCounterparts(stub))
    switch (value.of) {
    case KnownLaunchValue::Of::Parameter:
      gain += gains.ofParameter(kernel, value.index);
      break;
    case KnownLaunchValue::Of::Part:
      gain += gains.ofPart(kernel, value.index, value.width);
      break;
    case KnownLaunchValue::Of::Geometry:
      gain += gains.ofGeometry(kernel, value.index);
      break;
    }
  return gain;
}

/// Drops what is worth nothing, or little next to the rest of \p known.
void KernelCloneChooser::dropMinor(std::vector<KnownLaunchValue> &known,
                                   GlobalId stub) {
  constexpr uint64_t kMinorShare = 16;
  uint64_t total = 0;
  for (const KnownLaunchValue &value : known)
    total += gainOf(value, stub);
  erase_if(known, [&](const KnownLaunchValue &value) {
    uint64_t gain = gainOf(value, stub);
    return gain == 0 || gain * kMinorShare < total;
  });
}

/// Leads \p call to a clone that an earlier round made for the same constants;
/// returns whether there is one.
bool KernelCloneChooser::reuse(GlobalId stub,
                               const std::vector<KnownLaunchValue> &known,
                               Call call) {
  auto found = made.find({stub, known});
  if (found == made.end())
    return false;
  solver.redirectLaunch(call.first, call.second, found->second);
  return true;
}

/// Returns the contexts of \p stub in the order of their first calls; \p others
/// says whether calls are left that know nothing, \p reused whether some joined
/// an earlier clone.
std::vector<LaunchContext>
KernelCloneChooser::contextsOf(GlobalId stub, bool &others, bool &reused) {
  std::vector<LaunchContext> contexts;
  for (auto &[call, launches] : calls[stub]) {
    std::vector<KnownLaunchValue> known = knownByAll(call, launches, stub);
    dropMinor(known, stub);
    if (known.empty()) {
      others = true;
      continue;
    }
    if (reuse(stub, known, call)) {
      reused = true;
      continue;
    }
    auto same = find_if(contexts, [&, &known = known](const LaunchContext &c) {
      return c.known == known;
    });
    if (same == contexts.end()) {
      contexts.push_back({stub, known, {}, 0, 0});
      same = std::prev(contexts.end());
      for (GlobalId kernel : program.deviceCounterparts(stub))
        same->size += program.function(kernel)->instructionCount;
    }
    uint32_t frequency = 0;
    for (const LaunchSite *launch : launches)
      frequency += launch->frequency;
    same->calls.push_back(call);
    for (const KnownLaunchValue &value : known)
      same->gain += gainOf(value, stub) * frequency;
  }
  return contexts;
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

bool KernelCloneChooser::fits(const LaunchContext &chosen) const {
  if (solver.cloneCount(chosen.stub) >= context.params.ipaCpMaxClones)
    return false;
  return all_of(program.deviceCounterparts(chosen.stub), [&](GlobalId kernel) {
    return program.function(kernel)->instructionCount <=
           growth[program.imageOf(kernel)];
  });
}

void KernelCloneChooser::clone(const LaunchContext &chosen) {
  for (GlobalId kernel : program.deviceCounterparts(chosen.stub))
    growth[program.imageOf(kernel)] -=
        program.function(kernel)->instructionCount;
  BodyIndex made = solver.addKernelClone(chosen.stub);
  this->made[{chosen.stub, chosen.known}] = made;
  for (Call call : chosen.calls)
    solver.redirectLaunch(call.first, call.second, made);
}

bool KernelCloneChooser::runRound() {
  collectCalls();
  missed.clear();
  bool changed = false;
  std::vector<std::vector<LaunchContext>> all; // keeps what is pointed to
  std::vector<const LaunchContext *> order;
  for (auto &[stub, launches] : calls) {
    // Unknown launches have their own remark.
    if (callers.unknown(stub) != UnknownCaller::None ||
        program.deviceCounterparts(stub).empty())
      continue;
    std::string why = whyNoKernelClone(context, callers, stub);
    bool others = sharedLaunches.contains(stub);
    if (!why.empty()) {
      if (launches.size() > 1)
        missed[stub] = why;
      continue;
    }
    all.push_back(contextsOf(stub, others, changed));
    std::vector<const LaunchContext *> chosen = contextsWorthClones(
        all.back(), others, context.params.kernelCloneThreshold);
    if (chosen.empty() && all.back().size() + others > 1)
      missed[stub] = "it would save too little";
    append_range(order, chosen);
  }
  stable_sort(order, [](const LaunchContext *a, const LaunchContext *b) {
    return a->gain * b->size > b->gain * a->size;
  });
  for (const LaunchContext *chosen : order) {
    if (!fits(*chosen)) {
      missed[chosen->stub] = "there are enough clones already";
      continue;
    }
    clone(*chosen);
    changed = true;
  }
  return changed;
}

void KernelCloneChooser::explainMissed() const {
  for (const auto &[stub, why] : missed) {
    GlobalId kernel = program.deviceCounterparts(stub).front();
    addKernelRemark(context, RemarkKind::Missed, "NoKernelClone", kernel,
                    "no clone of " + quotedName(program, kernel) +
                        " for launches that know more: " + why);
  }
}

} // namespace gpulto
