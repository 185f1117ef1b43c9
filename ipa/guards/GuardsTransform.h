//===- GuardsTransform.h - Launch guarded kernels ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_GUARDS_GUARDSTRANSFORM_H
#define GPULTO_IPA_GUARDS_GUARDSTRANSFORM_H

#include "summary/Decisions.h"
#include "summary/Facts.h"

namespace llvm {
class CallBase;
class Function;
class Value;
} // namespace llvm

namespace gpulto {

/// Marks accesses in \p kernel, a body as LGEN saw it, through the pairs of
/// pointers in \p guard as not touching the same memory. Returns whether there
/// are any.
bool applyOverlap(llvm::Function &kernel, const OverlapGuard &guard);

/// Makes the launch of \p stub launch \p guarded instead if \p guard and \p
/// overlap hold. Returns whether there is a launch.
bool applyGuardTest(llvm::Function &stub, const FunctionFacts &guard,
                    const OverlapGuard &overlap, llvm::Function &guarded);

/// Returns, as an i1 before \p launch, a call of cudaLaunchKernel, whether the
/// pointers of all pairs of \p guard lead to memory apart in this launch.
llvm::Value *buildOverlapTest(llvm::CallBase &launch,
                              const OverlapGuard &guard);

} // namespace gpulto

#endif // GPULTO_IPA_GUARDS_GUARDSTRANSFORM_H
