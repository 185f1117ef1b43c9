//===- TransfersTransform.h - Copies that need not be (LTRANS) --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_TRANSFERSTRANSFORM_H
#define GPULTO_IPA_TRANSFERS_TRANSFERSTRANSFORM_H

#include "summary/Facts.h"

#include "llvm/ADT/ArrayRef.h"

#include <utility>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace gpulto {

/// Changes each of \p copies, calls of \p function that copy or fill, as
/// decided.
void editCopies(llvm::Function &function,
                llvm::ArrayRef<std::pair<llvm::CallBase *, CopyEdit>> copies);

} // namespace gpulto

#endif
