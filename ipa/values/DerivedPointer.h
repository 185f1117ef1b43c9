//===- DerivedPointer.h - What a pointer was computed from ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_VALUES_DERIVEDPOINTER_H
#define GPULTO_IPA_VALUES_DERIVEDPOINTER_H

#include <cstdint>
#include <optional>

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace gpulto {

/// Strips constant offsets and casts of address space off \p pointer and
/// returns what is left, with \p offset set to their sum.
const llvm::Value *stripOffsets(const llvm::Value &pointer,
                                const llvm::DataLayout &layout,
                                int64_t &offset);

/// What a pointer was computed from by additions. Its distance from there is a
/// multiple of 2^distanceLog2, whatever wraps.
struct DerivedPointer {
  const llvm::Value *base;
  unsigned distanceLog2;
  /// No addition left the object; all were of generic pointers.
  bool isInBounds;
};

/// Returns what \p pointer is based on, in each round of every loop the same;
/// nothing if that is not one value.
std::optional<DerivedPointer> derivationOf(const llvm::Value &pointer,
                                           const llvm::DataLayout &layout);

} // namespace gpulto

#endif
