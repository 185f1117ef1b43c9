//===- JobRemarks.h - Remarks on a job's module -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Passes of LTRANS write remarks to the job's report (LtransReport), which
// caches keep with the results; JobNames says what users call a function, and
// where it stands.
//
// LLVM's passes may say more than there is code, so unlike our own remarks a
// job has only those that the link asks for (RemarkRequest), which therefore is
// part of its keys.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_JOBREMARKS_H
#define GPULTO_LTO_JOB_JOBREMARKS_H

#include "lto/job/LtransJob.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class DiagnosticInfoOptimizationBase;
class DILocation;
class Function;
} // namespace llvm

namespace gpulto {

/// Returns which of LLVM's remarks \p options request. An option that can match
/// only our passes requests none.
RemarkRequest requestRemarks(const DiagnosticsOptions &options);

/// Maps functions of a job's module to the names that the user knows.
class JobNames {
public:
  explicit JobNames(const LtransJob &job);

  /// Returns where the function \p name comes from; empty if unknown.
  InputLocation inputOf(llvm::StringRef name) const;
  /// Returns \p text with local symbols named as in their sources.
  std::string withoutTags(llvm::StringRef text) const;
  /// Returns a remark without a text about code of \p function at \p where or,
  /// if that is null, about the whole function.
  Remark remarkOn(const llvm::Function &function,
                  const llvm::DILocation *where = nullptr) const;

private:
  llvm::StringMap<InputLocation> inputs;
  llvm::StringSet<> tags;
};

/// Collects the LLVM remarks that a job is asked for.
class JobRemarks {
public:
  /// Adds them to \p remarks.
  JobRemarks(const LtransJob &job, std::vector<Remark> &remarks);

  /// Returns whether remarks of this kind and pass are requested.
  bool wants(RemarkKind kind, llvm::StringRef pass) const;
  /// Adds \p info, a remark, if it is requested.
  void add(const llvm::DiagnosticInfoOptimizationBase &info);

private:
  std::optional<llvm::Regex> printed[3]; ///< by RemarkKind
  std::optional<llvm::Regex> kept;
  JobNames names;
  std::vector<Remark> &remarks;
};

} // namespace gpulto

#endif
