//===- GuardSource.h - Values that the host can test ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_INDEXES_GUARDSOURCE_H
#define GPULTO_IPA_INDEXES_GUARDSOURCE_H

#include "summary/Guards.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace llvm {
class DataLayout;
class Value;
} // namespace llvm

namespace gpulto {

using GuardFacts = llvm::SmallVector<GuardFact, 4>;

/// Returns, as a fact of kind FitsWord, the kernel argument that \p value is,
/// an integer or a pointer, or the part of a by-value aggregate from which it
/// was loaded.
std::optional<GuardFact> guardSource(const llvm::Value &value,
                                     const llvm::DataLayout &layout);

/// Returns the pointer that \p fact is about.
inline PointerSource pointerOf(const GuardFact &fact) {
  return {fact.parameter, fact.isPart, fact.byteOffset};
}

} // namespace gpulto

#endif // GPULTO_IPA_INDEXES_GUARDSOURCE_H
