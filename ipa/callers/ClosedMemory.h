//===- ClosedMemory.h - Memory that a module keeps to itself ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_CALLERS_CLOSEDMEMORY_H
#define GPULTO_IPA_CALLERS_CLOSEDMEMORY_H

#include "llvm/ADT/DenseSet.h"

namespace llvm {
class Value;
} // namespace llvm

namespace gpulto {

/// Finds memory that only code of its module reaches, and out of which that
/// code lets no pointer: what a function remembers of each kernel in a static
/// container.
class ClosedMemory {
public:
  /// Whether a pointer that is stored at \p address stays in such memory: it is
  /// read there only to be compared, or mixed into a hash (endsInMixture()).
  /// Linear in the uses of the memory.
  bool keeps(const llvm::Value &address);

private:
  // Looked up only. Addresses in closed memory, and objects that are none.
  llvm::DenseSet<const llvm::Value *> closed, open;
};

/// Whether of the integer \p value, which holds the bits of a pointer, nothing
/// remains but comparisons, products and remainders: it is hashed.
bool endsInMixture(const llvm::Value &value);

} // namespace gpulto

#endif
