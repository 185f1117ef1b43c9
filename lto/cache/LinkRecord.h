//===- LinkRecord.h - What the last link with a cache redid -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A link records in its cache, under the name of its output, what its jobs
// depended on and why some had to run; `gpulto explain --why-rebuilt` prints
// it.
//
//===----------------------------------------------------------------------===//
#ifndef GPULTO_LTO_CACHE_LINKRECORD_H
#define GPULTO_LTO_CACHE_LINKRECORD_H

#include "lto/cache/Cache.h"
#include "lto/job/LinkJobs.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace gpulto {

/// The kind of a part of a job, in the order in which reasons are given.
enum class PartKind : uint8_t {
  /// A tool or library that makes the results.
  Tool,
  Option,
  /// The body of a function, the contents of a variable.
  Body,
  /// What becomes of a symbol, and what is folded into it.
  Decision,
  /// What is known of a named function or variable.
  Fact,
  Constructors,
  /// The rest of an input, which belongs to no symbol.
  Input,
  Last = Input
};

/// Something that results depend on.
struct JobPart {
  PartKind kind = PartKind::Tool;
  std::string name;
  std::string where; // input, or empty
  Digest digest;
  bool operator==(const JobPart &) const = default;
};

struct JobRecord {
  std::string title; // "host: a.o, b.o"
  CacheState state = CacheState::Redone;
  Digest inputs;              // the key
  std::vector<JobPart> parts; // ascending by kind, where and name
  /// For redone jobs: why it ran.
  std::vector<std::string> reasons;
  bool operator==(const JobRecord &) const = default;
};

struct LinkRecord {
  std::string output;
  std::vector<JobRecord> jobs;
  bool operator==(const LinkRecord &) const = default;
};

/// Returns the parts of \p job.
std::vector<JobPart> partsOf(const LtransJob &job, const Digest &optimizer);

/// Returns what distinguishes \p job from the most similar job of \p before, in
/// sentences without a period. \p before is null if no earlier link is known.
std::vector<std::string> whyRedone(const JobRecord &job,
                                   const LinkRecord *before);

/// Returns the bytes of \p record; see docs/formats.md.
std::string encodeRecord(const LinkRecord &record);

/// Reads what encodeRecord wrote. Errors: damaged; they name \p path.
llvm::Expected<LinkRecord> decodeRecord(llvm::StringRef bytes,
                                        llvm::StringRef path);

/// Returns where the record of links that write \p output is kept in the cache
/// \p directory.
std::string recordPath(llvm::StringRef directory, llvm::StringRef output);

/// Records the link of \p jobs that wrote \p output, and why jobs ran, in the
/// cache \p directory; \p keys are those by inputs. Errors: it cannot be
/// written.
llvm::Error recordLink(llvm::StringRef directory, llvm::StringRef output,
                       const LinkJobs &jobs, llvm::ArrayRef<Digest> keys,
                       llvm::ArrayRef<CacheState> states,
                       const Digest &optimizer);

} // namespace gpulto

#endif // GPULTO_LTO_CACHE_LINKRECORD_H
