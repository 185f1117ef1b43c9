//===- LaunchesTransform.h - Geometry of launches in kernels -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_LAUNCHES_LAUNCHESTRANSFORM_H
#define GPULTO_IPA_LAUNCHES_LAUNCHESTRANSFORM_H

#include "summary/Facts.h"

#include <cstdint>

namespace llvm {
class Function;
} // namespace llvm

namespace gpulto {

/// Declares the block size of the kernel \p function in \p facts, or an upper
/// bound, for ptxas. Returns whether something was declared. \p maxRegisters:
/// ptxas's --maxrregcount, or 0. ptxas applies that only to kernels without a
/// declared block, so a kernel that had none gets it together with its block.
bool declareBlockSize(llvm::Function &function, const FunctionFacts &facts,
                      uint32_t maxRegisters);

/// Replaces reads of the launch geometry in the device body \p function by the
/// constants of \p facts, or bounds them. Returns whether the body changed.
bool applyGeometry(llvm::Function &function, const FunctionFacts &facts);

/// As applyGeometry, only for the grid's x: the first component of the geometry
/// of \p guard, if it has any.
bool applyGuardedGrid(llvm::Function &function, const FunctionFacts &guard);

} // namespace gpulto

#endif // GPULTO_IPA_LAUNCHES_LAUNCHESTRANSFORM_H
