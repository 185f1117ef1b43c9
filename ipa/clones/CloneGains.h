//===- CloneGains.h - Gains of known constants ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CLONES_CLONEGAINS_H
#define GPULTO_IPA_CLONES_CLONEGAINS_H

#include "ipa/callers/Callers.h"

#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace gpulto {

/// Returns why launches of the stub \p stub, a definition, cannot be directed
/// to a clone of its kernel, as a clause ("its attributes are read or set");
/// empty if they can.
std::string whyNoKernelClone(const WpaContext &context, const Callers &callers,
                             GlobalId stub);

/// Estimates, from LGEN's counts, the instructions that a constant saves in a
/// function and in callees, and kernels that may be cloned, to which the
/// function passes it on. Unit: IR instructions per entry.
class CloneGains {
public:
  /// Weighs all parameters of all live bodies; linear.
  CloneGains(const WpaContext &context, const Callers &callers);

  /// The gain of a constant as parameter \p parameter of \p function, a live
  /// body.
  uint64_t ofParameter(GlobalId function, uint32_t parameter) const {
    uint32_t body = callers.bodyIndex(function);
    uint32_t number = firstParameter[body] + parameter;
    return number < firstParameter[body + 1] ? gains[number] : 0;
  }
  /// The gain of \p bits known bits of the by-value aggregate \p parameter.
  uint64_t ofPart(GlobalId function, uint32_t parameter, unsigned bits) const;
  /// The gain of a constant component of the launch geometry (see Geometry).
  uint64_t ofGeometry(GlobalId function, uint32_t component);

private:
  /// A parameter that is passed on as a parameter of a callee.
  struct Flow {
    uint32_t from = 0;
    uint32_t to = 0;
    uint32_t frequency = 0;
  };

  void numberParameters();
  void findFlows(uint32_t body, std::vector<Flow> &found) const;
  void sum();
  bool addLaunches();
  void addLaunch(GlobalId id, const LaunchSite &launch);
  uint64_t computeGeometry(GlobalId id, uint32_t component,
                           unsigned depth) const;

  const WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  /// By body: where its parameters begin in the vectors below.
  std::vector<uint32_t> firstParameter;
  /// By parameter of all bodies: what a constant saves in the body, and
  /// including what it saves where it is passed on.
  std::vector<uint64_t> ownGains, gains;
  std::vector<Flow> flows;
  // Looked up only.
  llvm::DenseMap<std::pair<GlobalId, uint32_t>, uint64_t> geometry;
};

} // namespace gpulto

#endif
