//===- LaunchGeometry.h - Jump functions of grids and blocks ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_LAUNCHES_LAUNCHGEOMETRY_H
#define GPULTO_IPA_LAUNCHES_LAUNCHGEOMETRY_H

#include "ipa/values/JumpFunctionBuilder.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace gpulto {

/// Bytes of a dim3, and of a grid followed by a block.
constexpr uint64_t kDim3Bytes = 12, kGridAndBlockBytes = 2 * kDim3Bytes;

/// Returns an unknown geometry, indexed by Geometry.
llvm::SmallVector<JumpFunction, 8> unknownGeometry();

/// Whether \p value is bytes of a structure that is passed by address.
bool isCopied(const JumpFunction &value);

/// Sets the dimensions in \p geometry that \p part is or contains. It is part
/// of a structure that has the dimensions of the grid, followed by those of the
/// block, at byte \p grid.
void setDimensions(llvm::MutableArrayRef<JumpFunction> geometry,
                   const AggregatePart &part, uint64_t grid,
                   JumpFunctionBuilder &builder);

} // namespace gpulto

#endif
