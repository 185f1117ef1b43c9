//===- CallMarks.h - Marks of instructions in metadata ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_BODIES_CALLMARKS_H
#define GPULTO_IPA_BODIES_CALLMARKS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"

#include <utility>

namespace gpulto {

/// Metadata of the calls that markCalls marks.
inline constexpr llvm::StringLiteral kCallMark = "gpulto.call";

/// Metadata of the calls that markInlining marks.
inline constexpr llvm::StringLiteral kInlineMark = "gpulto.inline";

/// Metadata of the calls that markRecursion marks.
inline constexpr llvm::StringLiteral kRecursionMark = "gpulto.recursion";

/// Metadata of the instructions that markStretches marks.
inline constexpr llvm::StringLiteral kStretchMark = "gpulto.stretch";

/// Marks \p instruction with \p number as metadata \p mark.
inline void setNumberMark(llvm::Instruction &instruction, llvm::StringRef mark,
                          uint32_t number) {
  using namespace llvm;
  LLVMContext &context = instruction.getContext();
  instruction.setMetadata(
      mark, MDNode::get(context, ConstantAsMetadata::get(ConstantInt::get(
                                     Type::getInt32Ty(context), number))));
}

/// Returns the instructions of \p function that have the metadata \p mark, by
/// number, and removes it.
inline llvm::SmallVector<std::pair<uint32_t, llvm::Instruction *>, 8>
takeNumberMarks(llvm::Function &function, llvm::StringRef mark) {
  using namespace llvm;
  SmallVector<std::pair<uint32_t, Instruction *>, 8> marked;
  for (Instruction &instruction : instructions(function))
    if (MDNode *node = instruction.getMetadata(mark)) {
      auto *number = mdconst::extract<ConstantInt>(node->getOperand(0));
      marked.push_back({uint32_t(number->getZExtValue()), &instruction});
      instruction.setMetadata(mark, nullptr);
    }
  return marked;
}

} // namespace gpulto

#endif // GPULTO_IPA_BODIES_CALLMARKS_H
