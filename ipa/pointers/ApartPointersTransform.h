//===- ApartPointersTransform.h - Say of accesses what is apart -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_POINTERS_APARTPOINTERSTRANSFORM_H
#define GPULTO_IPA_POINTERS_APARTPOINTERSTRANSFORM_H

#include "summary/Facts.h"

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace gpulto {

/// Notes in attributes of \p kernel that \p pairs are apart, and that nothing
/// writes behind \p pointers, for markPointerAccesses(). Return whether there
/// is anything to be noted.
bool noteApart(llvm::Function &kernel, llvm::ArrayRef<ApartPair> pairs);
bool noteUnwritten(llvm::Function &kernel,
                   llvm::ArrayRef<PointerSource> pointers);

/// Says of accesses in \p kernel through pointers that attributes of it name
/// what these say: again whenever there may be new ones. Returns whether the
/// body changed.
bool markPointerAccesses(llvm::Function &kernel);

} // namespace gpulto

#endif // GPULTO_IPA_POINTERS_APARTPOINTERSTRANSFORM_H
