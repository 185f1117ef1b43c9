//===- Ltrans.h - Run one LTRANS job ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_LTRANS_H
#define GPULTO_LTO_LTRANS_H

#include "lto/LtransJob.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace gpulto {

/// Paths of what a job made. Host: an ELF object. Device: PTX, and a cubin when
/// the job asked for one. Both: what it has to say, if it has
/// (lto/LtransReport).
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

/// Runs \p job in this process: reads the bodies it names (verifying size and
/// digest), applies the decisions, runs LLVM's pipeline and code generation,
/// and writes resultPaths(job, prefix) atomically. Equal jobs over equal inputs
/// write equal bytes in any directory. \p saveTempsPrefix: when not empty,
/// bitcode before and after optimization is kept under that prefix. Errors:
/// missing or changed input, invalid bitcode, failing ptxas (with its command
/// and messages). No error: bodies that were to be folded differ; the report,
/// which then is the only result, says so. \p onPhase is told what begins
/// ("optimizing"), so that one can say what a job was doing that did not come
/// back. \p cache: if there is one.
llvm::Error runLtransJob(
    const LtransJob &job, llvm::StringRef prefix,
    llvm::StringRef saveTempsPrefix,
    llvm::function_ref<void(llvm::StringRef)> onPhase = [](llvm::StringRef) {},
    JobCache *cache = nullptr);

} // namespace gpulto

#endif
