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

/// Declares the block size of the kernel \p function that \p facts know, or an
/// upper bound, for ptxas. Returns whether something was declared.
/// \p maxRegisters: ptxas's --maxrregcount, or 0. It holds for kernels without
/// a declared block only, so a kernel that had none gets it with its block.
bool declareBlockSize(llvm::Function &function, const FunctionFacts &facts,
                      uint32_t maxRegisters);

/// Replaces what the device body \p function reads of the launch geometry by
/// the constants of \p facts, or bounds it. Returns whether the body changed.
bool applyGeometry(llvm::Function &function, const FunctionFacts &facts);

/// As applyGeometry, of the grid's x alone: the first of the geometry of
/// \p guard, if it has any.
bool applyGuardedGrid(llvm::Function &function, const FunctionFacts &guard);

} // namespace gpulto

#endif // GPULTO_IPA_LAUNCHES_LAUNCHESTRANSFORM_H
