//===- GeometryLimits.h - What the hardware allows of launches --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_RUNTIME_GEOMETRYLIMITS_H
#define GPULTO_IPA_RUNTIME_GEOMETRYLIMITS_H

#include "summary/Launches.h"

namespace gpulto {

/// Grid x, y, z, block x, y, z; see Geometry.
constexpr uint32_t kDimensions = kBlockZ + 1;
/// What the hardware allows; none of them is 0. Source: CUDA C++ Programming
/// Guide, "Technical Specifications per Compute Capability".
constexpr uint32_t kGeometryLimits[kDimensions] = {INT32_MAX, 65535, 65535,
                                                   1024,      1024,  64};

} // namespace gpulto

#endif
