//===- LtransReport.h - What a job has to say -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A job may run in another process or on another machine than the link, so what
// it wants to tell the user travels in a file beside its results. Which remarks
// are wanted is the link's business: a job writes all of ours, and those of
// LLVM's that it is asked for (lto/job/JobRemarks).
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_LTRANSREPORT_H
#define GPULTO_LTO_JOB_LTRANSREPORT_H

#include "ipa/access/MemoryRow.h"
#include "support/Diagnostics.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpulto {

/// A body that whole-program analysis took, by its digest, for one that does
/// the same as its leader's. It does not.
struct FoldMismatch {
  /// Of the module: JobInput::tag.
  std::string tag;
  /// IR name in it.
  std::string name;
  /// What differs.
  std::string text;
  bool operator==(const FoldMismatch &) const = default;
};

/// A warning about what a job compiles.
struct JobWarning {
  std::string text;
  /// It tells no source, so that the link says which job it is of.
  bool needsJob = false;
  bool operator==(const JobWarning &) const = default;
};

/// Depends on the job alone, as its results do, but for \c mishaps.
struct LtransReport {
  std::vector<Remark> remarks;
  std::vector<JobWarning> warnings;
  /// Lines that the user asked a tool for (ptxas -v).
  std::vector<std::string> output;
  /// Warnings of what went wrong in this run of the job: the results are good
  /// for this link, but not to be kept.
  std::vector<std::string> mishaps;
  /// Added to the link's statistics.
  std::map<std::string, uint64_t> counters;
  /// Device: what kernels access, in the order of the program.
  std::vector<MemoryRow> accesses;
  /// Where there is one, the job has no other results: what it was to do rests
  /// on a mistake.
  std::vector<FoldMismatch> mismatches;

  bool empty() const {
    return remarks.empty() && warnings.empty() && output.empty() &&
           mishaps.empty() && counters.empty() && accesses.empty() && mismatches.empty();
  }
};

/// Returns the bytes of \p report; see docs/formats.md.
std::string encodeReport(const LtransReport &report);

/// Reads what encodeReport wrote. Errors: damaged; they name \p path.
llvm::Expected<LtransReport> decodeReport(llvm::StringRef bytes,
                                          llvm::StringRef path);

/// Writes \p report to \p path; an empty one is no file, and removes one that
/// an earlier run of the job left.
llvm::Error writeReport(const LtransReport &report, llvm::StringRef path);

/// Reads what writeReport wrote. Errors: the file cannot be read or is damaged.
llvm::Expected<LtransReport> readReport(llvm::StringRef path);

} // namespace gpulto

#endif
