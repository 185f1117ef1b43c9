//===- VisibilityTransform.h - Promote, internalize, in LTRANS --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_IPA_SYMBOLS_VISIBILITYTRANSFORM_H
#define GPULTO_IPA_SYMBOLS_VISIBILITYTRANSFORM_H

#include "summary/Decisions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class GlobalValue;
class GlobalVariable;
class Module;
} // namespace llvm

namespace gpulto {

/// Returns whether \p global is a local constant whose address means nothing (a
/// string literal): each partition gets its own copy. Same rule as for
/// SymbolFlag kCopyable. \p isUsed: it is in llvm.used or llvm.compiler.used.
bool isCopyable(const llvm::GlobalVariable &global, bool isUsed);

/// Makes every local symbol of \p module that is not copyable external and
/// hidden, under its name followed by \p suffix, so that it means the same
/// object in all partitions of the module. Promotes those of \p always even if
/// they are copyable. Anonymous symbols must have been named. Bodies need not
/// be materialized.
void promoteLocals(llvm::Module &module, llvm::StringRef suffix,
                   llvm::ArrayRef<llvm::GlobalValue *> always);

/// A symbol that a partition defines, and its final visibility.
struct FinalSymbol {
  /// The value in the partition; not null.
  llvm::GlobalValue *value = nullptr;
  FinalLinkage linkage = FinalLinkage::Preserved;
  /// Name in the source module if it was local there and has been promoted;
  /// otherwise empty.
  std::string localName;
  bool wasPrivate = false;
  /// Assembly may know it by its name.
  bool isNamed = false;
};

/// Gives the definitions \p symbols of \p module their final linkage and
/// visibility and, where they are local again, their original names. A promoted
/// symbol that assembly may name gets a local alias with its original name. \p
/// assemblyWords: the identifiers in all assembly of the module. Errors: the
/// old name is taken, and assembly names it.
llvm::Error applyFinalLinkage(llvm::Module &module,
                              llvm::ArrayRef<FinalSymbol> symbols,
                              const llvm::StringSet<> &assemblyWords);

} // namespace gpulto

#endif
