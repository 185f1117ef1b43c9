//===- FoldForm.h - The form in which bodies are compared -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_ICF_FOLDFORM_H
#define GPULTO_ICF_FOLDFORM_H

#include "support/StableHash.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace llvm {
class Function;
class GlobalValue;
class GlobalVariable;
class Module;
} // namespace llvm

namespace gpulto {

/// A body, or the contents of a constant, without what differs between copies
/// of it.
struct FoldForm {
  /// BLAKE3, truncated to 128 bits, of the canonical form; none if the body
  /// cannot be folded with any other.
  Digest hash;
  /// The symbols that the form refers to by number, in the order in which they
  /// first appear in the body. Two bodies do the same if their hashes are equal
  /// and their symbols, in order, are equal or mean the same.
  llvm::SmallVector<const llvm::GlobalValue *, 8> symbols;
};

/// Computes fold forms of the functions of one module. Remembers types,
/// constants and attribute lists across calls; not thread-safe.
///
/// The form sees layout, not names: types in memory by size and alignment,
/// address arithmetic in bytes, symbols by number. It leaves out what the
/// leader of a class can do without, and of which it carries the intersection
/// (see FoldAttributes.h): poison flags, attributes and metadata that are
/// promises to the optimizer, debug information, markers of lifetimes and
/// assumptions.
class FoldFormer {
public:
  /// \p fusesAll: see ModuleFlag kFusesAll.
  explicit FoldFormer(const llvm::Module &module, bool fusesAll = false);
  ~FoldFormer();

  /// Returns the form of \p function, a definition whose body has been read.
  FoldForm formOf(const llvm::Function &function);

  /// Returns the form of \p variable: none unless it is a constant that other
  /// units know by name. A constant that only its unit knows is part of the
  /// forms of the definitions that refer to it.
  FoldForm formOf(const llvm::GlobalVariable &variable);

private:
  class Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace gpulto

#endif
