//===- Stretches.h - What a function does between calls ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// LGEN and LTRANS number the stretches of a function (TransferEvent::stretch)
// alike: from 0, a new one with each block and behind each call of the summary.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_TRANSFERS_STRETCHES_H
#define GPULTO_IPA_TRANSFERS_STRETCHES_H

namespace llvm {
class Instruction;
} // namespace llvm

namespace gpulto {

/// Whether \p instruction is a call of the summary.
bool endsStretch(const llvm::Instruction &instruction);

/// Whether \p instruction may write memory as a part of its stretch.
bool writesInStretch(const llvm::Instruction &instruction);

} // namespace gpulto

#endif
