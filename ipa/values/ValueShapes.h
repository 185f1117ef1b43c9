//===- ValueShapes.h - What values look like --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_VALUESHAPES_H
#define GPULTO_IPA_VALUES_VALUESHAPES_H

#include "summary/JumpFunction.h"

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Argument;
class Instruction;
class Type;
} // namespace llvm

namespace gpulto {

/// Calling conventions pass two such values in one register.
constexpr unsigned kHalfBits = 32;

/// Returns the bits of a value of type \p type that a jump function can hold,
/// or 0. Small vectors count: calling conventions pass structs of floats in
/// them.
unsigned scalarBits(const llvm::Type &type);

/// Whether \p argument may be the address of a caller's variable. Device code
/// gets its pointers from launches; they are other facts.
bool isPassedByReference(const llvm::Argument &argument);

/// Appends \p value at byte \p offset to \p parts. What is too far for a
/// PartOffset is left out: not known.
void appendPart(llvm::SmallVectorImpl<AggregatePart> &parts, uint64_t offset,
                const JumpFunction &value);

/// Whether two ranges of bytes, of which the ends may be open, have a byte in
/// common.
bool overlaps(uint64_t aOffset, uint64_t aSize, uint64_t bOffset,
              uint64_t bSize);

/// Whether \p instruction fills memory with zeros.
bool isZeroFill(const llvm::Instruction &instruction);

} // namespace gpulto

#endif
