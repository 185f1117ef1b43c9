//===- TransfersTransform.h - Copies that need not be (LTRANS) --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_TRANSFERSTRANSFORM_H
#define GPULTO_IPA_TRANSFERS_TRANSFERSTRANSFORM_H

#include "summary/Facts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class CallBase;
class Function;
class GlobalVariable;
} // namespace llvm

namespace gpulto {

/// A call that copies or fills, and what becomes of it.
struct PlannedCopy {
  llvm::CallBase *call = nullptr;
  CopyEdit edit;
  /// Records that end where it is made.
  llvm::ArrayRef<uint32_t> ended = {};
};

/// Changes each of \p copies, calls of \p function, as decided.
void editCopies(llvm::Function &function, llvm::ArrayRef<PlannedCopy> copies);

/// Puts \p initial into the initializer of \p variable, which has one. Returns
/// the variable, which may be another one, of another type, in its place.
llvm::GlobalVariable *setInitialBytes(llvm::GlobalVariable &variable,
                                      llvm::ArrayRef<KnownBytes> initial);

/// Lets loads of \p variable, a variable of the device that nobody writes
/// anywhere, be replaced by what is in it. Calls \p visit with each function
/// that mentions it.
void makeConstant(llvm::GlobalVariable &variable,
                  llvm::function_ref<void(llvm::Function &)> visit);

/// Replaces loads of \p variable, a variable of the device, that find \p known
/// bytes of it and nothing else, at a constant place. Calls \p visit with each
/// function of such a load.
void replaceKnownLoads(llvm::GlobalVariable &variable,
                       llvm::ArrayRef<KnownBytes> known,
                       llvm::function_ref<void(llvm::Function &)> visit);

} // namespace gpulto

#endif
