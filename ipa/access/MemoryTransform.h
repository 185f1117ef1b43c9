//===- MemoryTransform.h - Launches of a kernel, with its body --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_ACCESS_MEMORYTRANSFORM_H
#define GPULTO_IPA_ACCESS_MEMORYTRANSFORM_H

#include "summary/Facts.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gpulto {

/// Notes \p launches in metadata of \p kernel, which a clone inherits; code
/// generation does not look at it.
void attachLaunches(llvm::Function &kernel, const KernelLaunches &launches);

/// Returns what attachLaunches was given, or nothing known.
KernelLaunches launchesOf(const llvm::Function &kernel);

} // namespace gpulto

#endif
