//===- LtransPlans.h - Carry decisions out in a partition -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LTRANSPLANS_H
#define GPULTO_LTO_LTRANSPLANS_H

#include "lto/LtransJob.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

#include <set>
#include <string>
#include <vector>

namespace gpulto {

/// A function of the partition that something was decided of.
struct PlannedFunction {
  /// Its name while bodies move.
  std::string name;
  /// The job's; not owned.
  const JobSymbol *symbol = nullptr;
};

/// Lets \p declaration be seen as what it declares: a symbol that bears a
/// promoted name is hidden, others are seen as the linker sees them.
void hideIfPromoted(llvm::GlobalValue &declaration);

/// Marks the calls in \p function, as it was read, that any body of \p symbol
/// has redirected. Errors: the body is not the one that was summarised.
llvm::Error markRedirects(llvm::Function &function, const JobSymbol &symbol);

/// Decisions that a partition is built without.
struct PlanFilter {
  /// All are taken back.
  bool isPlain = false;
  /// Kernels, by their names in PTX, that are compiled as they were read, with
  /// what they call; everybody else keeps what was decided.
  std::set<std::string> plainKernels;
};

/// Function attribute of bodies that a decision touched.
inline constexpr llvm::StringLiteral kPlannedAttribute = "gpulto-planned";

/// Makes the clones of \p planned, lets calls enter them, and puts what was
/// proven into bodies and clones, as far as \p filter lets it. All bodies of
/// \p partition have been moved. \p ptxasArguments: what the user tells ptxas.
void applyPlans(llvm::Module &partition,
                llvm::ArrayRef<PlannedFunction> planned,
                const PlanFilter &filter,
                llvm::ArrayRef<std::string> ptxasArguments);

} // namespace gpulto

#endif
