//===- Cache.cpp - Results of jobs, kept for later links ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Why not LLVM's localCache (Support/Caching.h): it ends the process if the
// disk is full, and trusts entries without checks. Its file names and its
// pruning are used.
//
//===----------------------------------------------------------------------===//

#include "lto/cache/Cache.h"

#include "lto/job/JobResults.h"
#include "lto/job/LtransReport.h"
#include "support/BinaryStream.h"
#include "support/Error.h"
#include "support/Subprocess.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace gpulto {

StringRef wordFor(CacheState state) {
  switch (state) {
  case CacheState::Redone:
    return "redone";
  case CacheState::HitInputs:
    return "hit-inputs";
  case CacheState::HitBodies:
    return "hit-bodies";
  }
  return "";
}

/// Begins an entry; the digit is the version.
static constexpr StringLiteral kMagic = "GPC2";

/// What pruneCache takes for its own.
static constexpr StringLiteral kPrefix = "llvmcache-";

namespace {
enum class EntryKind : uint8_t { Results, Reference, Bytes, Last = Bytes };

struct Entry {
  EntryKind kind = EntryKind::Results;
  Digest target; // of a reference
  LtransReport report;
  StringRef object, ptx, cubin; // in the file
  StringRef bytes;              // in the file
};
} // namespace

/// Returns the bytes of an entry: magic, digest of what follows, the key, and
/// \p body.
static std::string seal(const Digest &key, StringRef body) {
  BinaryWriter out;
  out.reserve(body.size() + kMagic.size() + 2 * sizeof(Digest));
  out.bytes(kMagic);
  uint64_t place = out.size();
  out.digest(Digest());
  uint64_t begin = out.size();
  out.digest(key);
  out.bytes(body);
  out.patchDigest(place, digestOf(out.str().drop_front(begin)));
  return out.take();
}

/// Returns the body of the entry \p bytes for \p key, or nothing if it is
/// damaged.
static std::optional<StringRef> unseal(StringRef bytes, const Digest &key) {
  BinaryReader in(bytes);
  bool isOurs = in.bytes(kMagic.size()) == kMagic;
  Digest digest = in.digest();
  uint64_t begin = in.position();
  Digest own = in.digest();
  if (in.failed() || !isOurs || own != key ||
      digest != digestOf(bytes.drop_front(begin)))
    return std::nullopt;
  return bytes.drop_front(in.position());
}

/// Reads what seal was given. \p file: for messages.
static Expected<Entry> readEntry(StringRef body, StringRef file) {
  BinaryReader in(body, InputLocation(file));
  Entry entry;
  entry.kind = in.enumerator(EntryKind::Last);
  if (entry.kind == EntryKind::Reference) {
    entry.target = in.digest();
  } else if (entry.kind == EntryKind::Bytes) {
    entry.bytes = in.string();
  } else {
    StringRef report = in.string();
    entry.object = in.string();
    entry.ptx = in.string();
    entry.cubin = in.string();
    if (!in.failed() && !report.empty()) {
      Expected<LtransReport> read = decodeReport(report, file);
      if (!read)
        return read.takeError();
      entry.report = std::move(*read);
    }
  }
  if (Error error = in.finish())
    return std::move(error);
  return entry;
}

//===----------------------------------------------------------------------===//
// Remarks name inputs; an entry names them by their tags
//===----------------------------------------------------------------------===//

static InputLocation byPath(const JobInput &input) {
  return InputLocation(input.path, input.member);
}

static InputLocation byTag(const JobInput &input) {
  return InputLocation(input.tag);
}

/// Renames the inputs in \p report of \p job.
static void rename(const LtransJob &job, LtransReport &report,
                   InputLocation (*from)(const JobInput &),
                   InputLocation (*to)(const JobInput &)) {
  std::map<InputLocation, InputLocation> names;
  for (const JobInput &input : job.inputs)
    names.try_emplace(from(input), to(input));
  for (Remark &remark : report.remarks)
    if (auto name = names.find(remark.input); name != names.end())
      remark.input = name->second;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Expected<Cache> Cache::open(const CacheOptions &options,
                            const Digest &optimizer) {
  if (Error error = makeDirectories(options.directory))
    return std::move(error);
  return Cache(options, optimizer);
}

std::string Cache::pathOf(const Digest &key) const {
  SmallString<128> path(options.directory);
  sys::path::append(path, kPrefix + key.hex());
  return path.str().str();
}

/// Returns the bytes of \p path, none if it is no regular file, or null if
/// there is nothing. Marks it as used now, for pruning.
static std::unique_ptr<MemoryBuffer> useEntry(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe
  if (file < 0)
    return nullptr;
  scope_exit close([&] { ::close(file); });
  struct stat status = {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return MemoryBuffer::getMemBuffer("", path);
  // Read, not mapped: who truncates the file would kill the link.
  auto buffer = MemoryBuffer::getOpenFile(file, path, /*FileSize=*/-1,
                                          /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/true);
  timespec times[2] = {};
  times[0].tv_nsec = UTIME_NOW; // of the last use
  times[1].tv_nsec = UTIME_OMIT;
  futimens(file, times); // a cache that may only be read is good, too
  return buffer ? std::move(*buffer) : nullptr;
}

/// Removes the damaged entry \p path, whatever it is.
static void removeEntry(const std::string &path) {
  if (unlink(path.c_str()) != 0)
    (void)sys::fs::remove(path); // a directory
}

static Error writeEntry(const std::string &path, StringRef bytes) {
  // It could not be removed, and opening a pipe would wait for a reader.
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path))
    return inputError(InputLocation(path), "no regular file");
  return writeFileAtomically(path, bytes);
}

static Error writeResults(const Entry &entry, const LtransJob &job,
                          StringRef prefix) {
  LtransResultPaths paths = resultPaths(job, prefix);
  LtransReport report = entry.report;
  rename(job, report, byTag, byPath);
  if (Error error = writeReport(report, paths.report))
    return error;
  for (auto [path, bytes] :
       {std::pair(&paths.object, entry.object),
        std::pair(&paths.ptx, entry.ptx), std::pair(&paths.cubin, entry.cubin)})
    if (!path->empty())
      if (Error error = writeFileAtomically(*path, bytes))
        return error;
  return Error::success();
}

/// Returns the entry for \p key in \p file, or nothing if it is damaged.
static std::optional<Entry> openEntry(const MemoryBuffer &file,
                                      const Digest &key) {
  std::optional<StringRef> body = unseal(file.getBuffer(), key);
  if (!body)
    return std::nullopt;
  Expected<Entry> entry = readEntry(*body, file.getBufferIdentifier());
  if (entry)
    return std::move(*entry);
  consumeError(entry.takeError());
  return std::nullopt;
}

/// \p isReferred: an entry has named \p key; references end here.
Expected<CacheFind> Cache::lookUp(const Digest &key, const LtransJob &job,
                                  StringRef prefix, bool isReferred) const {
  std::string path = pathOf(key);
  std::unique_ptr<MemoryBuffer> file = useEntry(path);
  if (!file)
    return CacheFind::Nothing;
  std::optional<Entry> entry = openEntry(*file, key);
  if (entry && entry->kind == EntryKind::Reference && !isReferred)
    return lookUp(entry->target, job, prefix, true);
  if (!entry || entry->kind != EntryKind::Results) {
    removeEntry(path);
    return CacheFind::Damaged;
  }
  if (Error error = writeResults(*entry, job, prefix))
    return std::move(error);
  return CacheFind::Results;
}

/// Appends the file \p path, or nothing if the job writes none.
static Error addFile(const std::string &path, BinaryWriter &out) {
  if (path.empty()) {
    out.string("");
    return Error::success();
  }
  Expected<std::unique_ptr<MemoryBuffer>> file = readWholeFile(path);
  if (!file)
    return file.takeError();
  out.string((*file)->getBuffer());
  return Error::success();
}

Error Cache::store(const Digest &inputs, const Digest &bodies,
                   const LtransJob &job, StringRef prefix) const {
  LtransResultPaths paths = resultPaths(job, prefix);
  Expected<LtransReport> report = readReport(paths.report);
  if (!report)
    return report.takeError();
  if (!report->mishaps.empty() || !report->mismatches.empty())
    return Error::success();
  rename(job, *report, byPath, byTag);
  BinaryWriter out;
  out.enumerator(EntryKind::Results);
  out.string(report->empty() ? std::string() : encodeReport(*report));
  for (const std::string *path : {&paths.object, &paths.ptx, &paths.cubin})
    if (Error error = addFile(*path, out))
      return error;
  if (Error error = writeEntry(pathOf(bodies), seal(bodies, out.str())))
    return error;
  return refer(inputs, bodies);
}

Error Cache::refer(const Digest &inputs, const Digest &bodies) const {
  BinaryWriter out;
  out.enumerator(EntryKind::Reference);
  out.digest(bodies);
  return writeEntry(pathOf(inputs), seal(inputs, out.str()));
}

std::optional<std::string> Cache::findBytes(const Digest &key) const {
  std::string path = pathOf(key);
  std::unique_ptr<MemoryBuffer> file = useEntry(path);
  if (!file)
    return std::nullopt;
  std::optional<Entry> entry = openEntry(*file, key);
  if (entry && entry->kind == EntryKind::Bytes)
    return entry->bytes.str();
  removeEntry(path);
  return std::nullopt;
}

Error Cache::storeBytes(const Digest &key, StringRef bytes) const {
  BinaryWriter out;
  out.enumerator(EntryKind::Bytes);
  out.string(bytes);
  return writeEntry(pathOf(key), seal(key, out.str()));
}

void Cache::prune() const { pruneCache(options.directory, options.policy); }

} // namespace gpulto
