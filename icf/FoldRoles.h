//===- FoldRoles.h - What folding may do to each body -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_ICF_FOLDROLES_H
#define GPULTO_ICF_FOLDROLES_H

#include "icf/Fold.h"

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace gpulto {

/// The name of the pass in remarks.
constexpr llvm::StringLiteral kFoldPass = "gpulto-fold";

/// What may become of a body if another does the same.
enum class FoldRole : uint8_t {
  /// It takes no part in folding.
  None,
  /// It stays unchanged; others may be folded into it.
  Stays,
  /// It stays a symbol with its own address, and jumps to the leader.
  Jumps,
  /// Its uses become uses of the leader, and it is removed.
  Folds,
};

/// The bodies that take part in folding, and how.
struct FoldRoles {
  /// Ascending.
  std::vector<GlobalId> elements;
  /// By GlobalId.
  std::vector<FoldRole> roles;
};

/// Finds the role of each live body under \p options. A kernel folds if its
/// stub does, or if its stub stays and it does not matter which kernel it
/// launches. Remarks say what keeps kernels out.
FoldRoles findFoldRoles(const WpaContext &context, const Callers &callers,
                        const FoldOptions &options);

/// Returns why the host function \p id, which takes part, does not fold, as the
/// end of a sentence; empty when it does.
llvm::StringRef whyItStays(const WpaContext &context, const Callers &callers,
                           GlobalId id);

/// Returns how often the definition \p id was found to differ from its leader:
/// FoldOptions::apart.
unsigned splitsOf(const CombinedSummary &program, GlobalId id,
                  const FoldOptions &options);

/// Returns a digest of what LGEN concluded about the body \p id, a function or
/// a variable, except for the symbols in its form.
Digest digestOfConclusions(const CombinedSummary &program, GlobalId id);

/// Returns a remark of pass gpulto-fold on the function \p id.
Remark makeFoldRemark(const CombinedSummary &program, GlobalId id);

} // namespace gpulto

#endif
