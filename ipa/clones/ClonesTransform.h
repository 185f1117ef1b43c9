//===- ClonesTransform.h - Let calls and launches enter clones --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CLONES_CLONESTRANSFORM_H
#define GPULTO_IPA_CLONES_CLONESTRANSFORM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <utility>

namespace llvm {
class CallBase;
class Function;
class Instruction;
class Use;
} // namespace llvm

namespace gpulto {

/// Marks \p instruction with \p number as metadata \p mark.
void setNumberMark(llvm::Instruction &instruction, llvm::StringRef mark,
                   uint32_t number);

/// Returns the instructions of \p function that have the metadata \p mark, by
/// number, and removes it.
llvm::SmallVector<std::pair<uint32_t, llvm::Instruction *>, 8>
takeNumberMarks(llvm::Function &function, llvm::StringRef mark);

/// Marks the calls of \p function, a body as LGEN saw it, that \p numbers (in
/// ascending order) name, so that they are found again in copies. Errors: the
/// body does not have \p callCount calls, or one of \p launches is not a call
/// of a launch function of the runtime.
llvm::Error markCalls(llvm::Function &function,
                      llvm::ArrayRef<uint32_t> numbers,
                      llvm::ArrayRef<uint32_t> launches, uint32_t callCount);

/// Returns the marked calls of \p function by number, and removes the marks.
llvm::SmallVector<std::pair<uint32_t, llvm::CallBase *>, 8>
takeMarkedCalls(llvm::Function &function);

/// Returns the kernel's handle among the operands of \p launch, a call of one
/// of the runtime's launch functions.
llvm::Use &handleOf(llvm::CallBase &launch);

/// Makes launches of the handle \p from in \p body launch the handle \p to.
/// Returns whether there are any.
bool replaceHandle(llvm::Function &body, llvm::Function &from,
                   llvm::Function &to);

} // namespace gpulto

#endif // GPULTO_IPA_CLONES_CLONESTRANSFORM_H
