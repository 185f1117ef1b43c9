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

/// Paths of a job's results. Host: an ELF object. Device: PTX, and a cubin if
/// the job asked for one. Both: its report, if it has one
/// (lto/job/LtransReport).
struct LtransResultPaths {
  std::string object;
  std::string ptx;
  std::string cubin;
  std::string report;
};

/// Returns the output prefix of \p job, in a link whose jobs write to \p
/// directory.
std::string jobPrefix(llvm::StringRef directory, const JobHead &job);

/// Returns the paths that a job writes for output prefix \p prefix.
LtransResultPaths resultPaths(const JobHead &job, llvm::StringRef prefix);

/// The interface through which a running job uses a cache.
class JobCache {
public:
  virtual ~JobCache() = default;
  /// The bodies of the job's inputs have been read; \p bodies is their digest
  /// (see buildPartition). Returns whether its results were found, so that
  /// nothing is left to do. Errors: they cannot be written.
  virtual llvm::Expected<bool> findResults(const Digest &bodies) = 0;
  /// Returns the bytes that any job has kept under \p key, if any. The key need
  /// not cover the programs that run here.
  virtual std::optional<std::string> find(const Digest &key) = 0;
  /// Keeps \p bytes under \p key if that is possible.
  virtual void keep(const Digest &key, llvm::StringRef bytes) = 0;
};

/// The first phase of every job. Nothing follows it in a job whose results were
/// found.
inline constexpr llvm::StringLiteral kReadInputsPhase = "reading its inputs";

} // namespace gpulto

#endif // GPULTO_LTO_JOB_JOBRESULTS_H
