//===- JobResults.h - Where the results of a job are ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_JOB_JOBRESULTS_H
#define GPULTO_LTO_JOB_JOBRESULTS_H

#include "lto/job/LtransJob.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace gpulto {

/// Paths of what a job made. Host: an ELF object. Device: PTX, and a cubin when
/// the job asked for one. Both: what it has to say, if it has
/// (lto/job/LtransReport).
struct LtransResultPaths {
  std::string object;
  std::string ptx;
  std::string cubin;
  std::string report;
};

/// Returns the output prefix of \p job of a link whose jobs write to
/// \p directory.
std::string jobPrefix(llvm::StringRef directory, const JobHead &job);

/// Returns the names that a job writes for output prefix \p prefix.
LtransResultPaths resultPaths(const JobHead &job, llvm::StringRef prefix);

/// What a job asks a cache for while it runs.
class JobCache {
public:
  virtual ~JobCache() = default;
  /// The bodies of the job's inputs have been read; \p bodies is their digest
  /// (see buildPartition). Returns whether its results are there: nothing is
  /// left to do. Errors: they cannot be written.
  virtual llvm::Expected<bool> findResults(const Digest &bodies) = 0;
  /// Returns what any job has kept under \p key, if anything. The programs that
  /// run here need not be in the key.
  virtual std::optional<std::string> find(const Digest &key) = 0;
  /// Keeps \p bytes under \p key if that is possible.
  virtual void keep(const Digest &key, llvm::StringRef bytes) = 0;
};

/// The first phase of every job. Nothing follows it in one whose results were
/// there.
inline constexpr llvm::StringLiteral kReadInputsPhase = "reading its inputs";

} // namespace gpulto

#endif // GPULTO_LTO_JOB_JOBRESULTS_H
