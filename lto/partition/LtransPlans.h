//===- LtransPlans.h - Carry decisions out in a partition -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_PARTITION_LTRANSPLANS_H
#define GPULTO_LTO_PARTITION_LTRANSPLANS_H

#include "lto/job/LtransJob.h"
#include "lto/job/LtransReport.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto {

/// A function of the partition with decisions.
struct PlannedFunction {
  /// Its name while bodies move.
  std::string name;
  /// The job's symbol; not owned.
  const JobSymbol *symbol = nullptr;
};

/// Gives \p declaration the visibility of what it declares: a symbol with a
/// promoted name is hidden, others keep the visibility that the linker sees.
void hideIfPromoted(llvm::GlobalValue &declaration);

/// Marks the calls in \p function, as it was read, that any body of \p symbol
/// redirects. Errors: the body is not the summarized one.
llvm::Error markRedirects(llvm::Function &function, const JobSymbol &symbol);

/// Marks the calls in the host function \p function, as it was read, that are
/// to be inlined. Errors: the body is not the summarized one.
llvm::Error markCallsToInline(llvm::Function &function,
                              const JobSymbol &symbol);

/// Which decisions a partition is built with.
enum class PlanUse : uint8_t {
  All,
  /// Bodies stay as they were read.
  None,
};

/// Function attribute of bodies that a decision touched.
inline constexpr llvm::StringLiteral kPlannedAttribute = "gpulto-planned";

/// Function attribute, set by code that changes a body after its compile: the
/// function goes through LLVM's simplification pipeline again.
inline constexpr llvm::StringLiteral kChangedAttribute = "gpulto-changed";

/// Makes the clones of \p planned, lets calls enter them, and puts what was
/// proven into bodies and clones, as far as \p use says. All bodies of
/// \p partition, that of \p job, have been moved. What cannot be carried out is
/// a remark in \p report.
void applyPlans(llvm::Module &partition,
                llvm::ArrayRef<PlannedFunction> planned, PlanUse use,
                const LtransJob &job, LtransReport &report);

} // namespace gpulto

#endif
