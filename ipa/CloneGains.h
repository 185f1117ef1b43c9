//===- CloneGains.h - What knowing a constant is worth ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CLONEGAINS_H
#define GPULTO_IPA_CLONEGAINS_H

#include "ipa/Callers.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace gpulto {

/// Returns why launches of the stub \p stub, a definition, cannot be led to a
/// clone of its kernel, as a sentence without subject ("its attributes are
/// read or set"); empty when they can.
std::string whyNoKernelClone(const WpaContext &context, const Callers &callers,
                             GlobalId stub);

/// Estimates, from LGEN's counts, of the instructions that a constant saves in
/// a function and in what the function passes it on to: callees, and kernels
/// that may be cloned. Unit: IR instructions for each entry.
class CloneGains {
public:
  CloneGains(const WpaContext &context, const Callers &callers)
      : context(context), program(context.program), callers(callers) {}

  /// Of a constant as parameter \p parameter of \p function.
  uint64_t ofParameter(GlobalId function, uint32_t parameter);
  /// Of \p bits known bits of the by-value aggregate \p parameter.
  uint64_t ofPart(GlobalId function, uint32_t parameter, unsigned bits);
  /// Of a constant component of the launch geometry (see Geometry).
  uint64_t ofGeometry(GlobalId function, uint32_t component);

private:
  uint64_t compute(GlobalId id, uint32_t parameter, unsigned depth);
  uint64_t computeGeometry(GlobalId id, uint32_t component,
                           unsigned depth) const;
  uint64_t launchGain(GlobalId id, uint32_t parameter);

  const WpaContext &context;
  const CombinedSummary &program;
  const Callers &callers;
  // Looked up only.
  llvm::DenseMap<std::pair<GlobalId, uint32_t>, uint64_t> parameters, geometry;
};

} // namespace gpulto

#endif
