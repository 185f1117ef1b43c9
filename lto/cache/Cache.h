//===- Cache.h - Results of jobs, kept for later links ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A directory of files `llvmcache-<key>`, each complete or absent, so that any
// number of links may share it. An entry holds the results of a job, the key of
// the entry that has them, or data that a job can reuse (docs/formats.md).
// LLVM's pruneCache keeps the directory small.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CACHE_CACHE_H
#define GPULTO_LTO_CACHE_CACHE_H

#include "lto/job/CacheKey.h"
#include "lto/link/LinkOptions.h"
#include "support/Diagnostics.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace gpulto {

/// How the results of a job were obtained.
enum class CacheState : uint8_t {
  /// The job runs, or ran.
  Redone,
  /// Found by its inputs, or by the bodies that it reads.
  HitInputs,
  HitBodies,
};

/// Returns the word for \p state in statistics and explanations.
llvm::StringRef wordFor(CacheState state);

/// What a lookup found.
enum class CacheFind : uint8_t { Nothing, Results, Damaged };

/// Thread-safe, except for store and prune.
class Cache {
public:
  /// Opens \p options.directory, which is made if needed, for results that \p
  /// optimizer makes (identityOfOptimizer). Errors: it cannot be made.
  static llvm::Expected<Cache> open(const CacheOptions &options,
                                    const Digest &optimizer);

  const Digest &optimizer() const { return identity; }
  const std::string &directory() const { return options.directory; }

  /// Writes the results of \p job under \p key, if any, to resultPaths(job,
  /// prefix). Removes a damaged entry. Errors: they cannot be written.
  llvm::Expected<CacheFind> find(const Digest &key, const LtransJob &job,
                                 llvm::StringRef prefix) const {
    return lookUp(key, job, prefix, /*isReferred=*/false);
  }

  /// Keeps the results of \p job, which are at resultPaths(job, prefix), under
  /// \p bodies, and a reference to them under \p inputs. Results of a run with
  /// mishaps (LtransReport::mishaps) and mismatches are not kept. Errors: the
  /// results cannot be read, the entries cannot be written.
  llvm::Error store(const Digest &inputs, const Digest &bodies,
                    const LtransJob &job, llvm::StringRef prefix) const;

  /// Makes \p inputs refer to the results under \p bodies. Errors: as above.
  llvm::Error refer(const Digest &inputs, const Digest &bodies) const;

  /// Returns the bytes kept under \p key, if any. Removes a damaged entry.
  std::optional<std::string> findBytes(const Digest &key) const;

  /// Keeps \p bytes, which are not results of a job, under \p key. Errors: the
  /// entry cannot be written.
  llvm::Error storeBytes(const Digest &key, llvm::StringRef bytes) const;

  /// Removes old entries, if the policy says that it is time.
  void prune() const;

  std::string pathOf(const Digest &key) const;

private:
  Cache(const CacheOptions &options, const Digest &optimizer)
      : options(options), identity(optimizer) {}
  llvm::Expected<CacheFind> lookUp(const Digest &key, const LtransJob &job,
                                   llvm::StringRef prefix,
                                   bool isReferred) const;

  CacheOptions options;
  Digest identity;
};

} // namespace gpulto

#endif // GPULTO_LTO_CACHE_CACHE_H
