//===- ApartPointersTransform.h - Mark accesses that are apart --*- C++ -*-===//
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

/// Record in attributes of \p kernel, for markPointerAccesses(), that \p pairs
/// are apart, and that nothing writes the memory of \p pointers. Return whether
/// there is anything to record.
bool noteApart(llvm::Function &kernel, llvm::ArrayRef<ApartPair> pairs);
bool noteUnwritten(llvm::Function &kernel,
                   llvm::ArrayRef<PointerSource> pointers);

/// Marks accesses in \p kernel through pointers that its attributes name with
/// what the attributes say. Call it again whenever there may be new accesses.
/// Returns whether the body changed.
bool markPointerAccesses(llvm::Function &kernel);

} // namespace gpulto

#endif // GPULTO_IPA_POINTERS_APARTPOINTERSTRANSFORM_H
