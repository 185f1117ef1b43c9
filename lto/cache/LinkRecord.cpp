//===- LinkRecord.cpp - What the last link with a cache redid -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The key of a job is one digest, which does not say what has changed. The
// record has the digests of its parts, which serve only for the explanation:
// the key covers what the digest of a body leaves out (such as types of debug
// information), and such a change shows as the rest of an input.
//
//===----------------------------------------------------------------------===//

#include "lto/cache/LinkRecord.h"

#include "lto/job/JobArchive.h"
#include "support/BinaryStream.h"
#include "support/Error.h"
#include "support/Subprocess.h"
#include "support/UnitNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <tuple>
#include <unistd.h>

using namespace llvm;

namespace gpulto {

/// Begins a record; the digit is the version.
static constexpr StringLiteral kMagic = "GPL1";

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static auto orderOf(const JobPart &part) {
  return std::tie(part.kind, part.where, part.name);
}

static void addSymbols(const JobInput &input, const std::string &where,
                       std::vector<JobPart> &parts) {
  for (const JobSymbol &symbol : input.symbols) {
    JobSymbol decided = symbol;
    decided.contents = Digest();
    parts.push_back({PartKind::Body, symbol.name, where, symbol.contents});
    parts.push_back(
        {PartKind::Decision, symbol.name, where, digestOfPart(decided)});
  }
  for (const JobFold &fold : input.folds)
    parts.push_back({PartKind::Decision, fold.name, where, digestOfPart(fold)});
}

static void addInput(const JobInput &input, std::vector<JobPart> &parts) {
  std::string where = InputLocation(input.path, input.member).str();
  addSymbols(input, where, parts);
  // The rest, without where it lies and what it contains.
  JobInput rest = input;
  rest.path.clear();
  rest.member.clear();
  rest.offset = rest.storedBytes = rest.rawBytes = 0;
  rest.compressed = false;
  rest.digest = Digest();
  rest.symbols.clear();
  rest.folds.clear();
  parts.push_back({PartKind::Decision, "", where, digestOfPart(rest)});
  parts.push_back({PartKind::Input, "", where, input.digest});
}

namespace {
/// Makes parts of what a job knows of functions and variables.
class FactLister : public JobArchive<FactLister> {
public:
  explicit FactLister(std::vector<JobPart> &parts) : parts(parts) {}

  template <typename T> void field(const char *, T &) {}
  template <typename T>
  void facts(const char *, std::vector<T> &list, const char *what) {
    for (const T &fact : list)
      parts.push_back({PartKind::Fact, fact.name, what, digestOfPart(fact)});
  }

private:
  std::vector<JobPart> &parts;
};
} // namespace

std::vector<JobPart> partsOf(const LtransJob &job, const Digest &optimizer) {
  std::vector<JobPart> parts;
  parts.push_back({PartKind::Tool, "gpulto, LLVM or a library that they use",
                   "", optimizer});
  forEachOption(job, [&](StringRef name, const Digest &digest) {
    if (name == "ptxasDigest")
      parts.push_back({PartKind::Tool, "ptxas", "", digest});
    else if (name != "ptxas") // its path
      parts.push_back({PartKind::Option, name.str(), "", digest});
  });
  for (const JobInput &input : job.inputs)
    addInput(input, parts);
  LtransJob listed = job; // transfer() serves the reader too, which writes
  FactLister facts(parts);
  transfer(facts, listed);
  parts.push_back(
      {PartKind::Constructors, "", "", digestOfPart(job.structors)});
  llvm::stable_sort(parts, [](const JobPart &a, const JobPart &b) {
    return orderOf(a) < orderOf(b);
  });
  return parts;
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

static std::string sentence(const JobPart &part, StringRef what) {
  std::string where = part.where.empty() ? "" : " (" + part.where + ")";
  std::string name = "'" + demangled(part.name) + "'";
  switch (part.kind) {
  case PartKind::Tool:
    return (part.name + " " + what).str();
  case PartKind::Option:
    return ("option " + part.name + " " + what).str();
  case PartKind::Body:
    return ("body of " + name + " " + what + where).str();
  case PartKind::Decision:
    if (part.name.empty())
      return ("its part in this unit " + what + where).str();
    return ("decision on " + name + " " + what + where).str();
  case PartKind::Fact:
    return ("what is known of " + name + " " + what + where).str();
  case PartKind::Constructors:
    return ("list of constructors and destructors " + what).str();
  case PartKind::Input:
    return ("something that belongs to no body " + what + where).str();
  }
  return "";
}

/// Counts the bodies that \p job and \p other share, by name.
static size_t likeness(const JobRecord &job, const JobRecord &other) {
  StringSet<> names;
  for (const JobPart &part : job.parts)
    if (part.kind == PartKind::Body)
      names.insert(part.name);
  return llvm::count_if(other.parts, [&](const JobPart &part) {
    return part.kind == PartKind::Body && names.contains(part.name);
  });
}

static const JobRecord *findNearest(const JobRecord &job,
                                    const LinkRecord &before) {
  const JobRecord *nearest = nullptr;
  size_t most = 0;
  for (const JobRecord &other : before.jobs)
    if (size_t like = likeness(job, other); like > most) {
      most = like;
      nearest = &other;
    }
  return nearest;
}

/// Walks both lists, which are in one order.
static std::vector<std::string> compareParts(ArrayRef<JobPart> now,
                                             ArrayRef<JobPart> before) {
  std::vector<std::string> reasons;
  // An input differs as soon as a body in it does: it counts if it must.
  std::vector<std::string> inputs;
  auto add = [&](const JobPart &part, StringRef what) {
    (part.kind == PartKind::Input ? inputs : reasons)
        .push_back(sentence(part, what));
  };
  while (!now.empty() || !before.empty()) {
    bool hasNow = !now.empty(), hasBefore = !before.empty();
    if (!hasBefore ||
        (hasNow && orderOf(now.front()) < orderOf(before.front()))) {
      add(now.front(), "is new");
      now = now.drop_front();
    } else if (!hasNow || orderOf(before.front()) < orderOf(now.front())) {
      add(before.front(), "is gone");
      before = before.drop_front();
    } else {
      if (now.front().digest != before.front().digest)
        add(now.front(), "has changed");
      now = now.drop_front();
      before = before.drop_front();
    }
  }
  return reasons.empty() ? inputs : reasons;
}

std::vector<std::string> whyRedone(const JobRecord &job,
                                   const LinkRecord *before) {
  if (!before)
    return {"no link to this output is known to the cache"};
  const JobRecord *nearest = findNearest(job, *before);
  if (!nearest)
    return {"the last link had no unit like it"};
  std::vector<std::string> reasons = compareParts(job.parts, nearest->parts);
  if (reasons.empty())
    reasons.push_back("its results were not in the cache: removed, damaged, "
                      "made with a warning, or asked for with their temporary "
                      "files");
  return reasons;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static void writeJobRecord(const JobRecord &job, BinaryWriter &out) {
  out.string(job.title);
  out.enumerator(job.state);
  out.digest(job.inputs);
  out.uleb(job.parts.size());
  for (const JobPart &part : job.parts) {
    out.enumerator(part.kind);
    out.string(part.name);
    out.string(part.where);
    out.digest(part.digest);
  }
  out.uleb(job.reasons.size());
  for (const std::string &reason : job.reasons)
    out.string(reason);
}

static JobRecord readJobRecord(BinaryReader &in) {
  JobRecord job;
  job.title = in.string().str();
  job.state = in.enumerator(CacheState::HitBodies);
  job.inputs = in.digest();
  constexpr uint64_t kLeastPart = 3 + sizeof(Digest);
  job.parts.resize(in.count(kLeastPart));
  for (JobPart &part : job.parts) {
    part.kind = in.enumerator(PartKind::Last);
    part.name = in.string().str();
    part.where = in.string().str();
    part.digest = in.digest();
  }
  job.reasons.resize(in.count());
  for (std::string &reason : job.reasons)
    reason = in.string().str();
  return job;
}

std::string encodeRecord(const LinkRecord &record) {
  BinaryWriter out;
  out.string(record.output);
  out.uleb(record.jobs.size());
  for (const JobRecord &job : record.jobs)
    writeJobRecord(job, out);
  BinaryWriter file;
  file.bytes(kMagic);
  file.digest(digestOf(out.str()));
  file.bytes(out.str());
  return file.take();
}

Expected<LinkRecord> decodeRecord(StringRef bytes, StringRef path) {
  InputLocation where(path);
  BinaryReader in(bytes, where);
  bool isOurs = in.bytes(kMagic.size()) == kMagic;
  Digest digest = in.digest();
  if (in.failed() || !isOurs ||
      digest != digestOf(bytes.drop_front(in.position())))
    return inputError(where, "damaged, or no record of a link");
  LinkRecord record;
  record.output = in.string().str();
  constexpr uint64_t kLeastJob = 4 + sizeof(Digest);
  record.jobs.resize(in.count(kLeastJob));
  for (JobRecord &job : record.jobs)
    job = readJobRecord(in);
  if (Error error = in.finish())
    return std::move(error);
  return record;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string recordPath(StringRef directory, StringRef output) {
  SmallString<128> name(output), parent;
  (void)sys::fs::make_absolute(name);
  // Resolves symbolic links and "..", except for the output itself.
  if (!sys::fs::real_path(sys::path::parent_path(name), parent)) {
    sys::path::append(parent, sys::path::filename(name));
    name = parent;
  }
  SmallString<128> path(directory);
  // Pruned as entries are.
  sys::path::append(path, "llvmcache-last-" + digestOf(name).hex());
  return path.str().str();
}

/// Returns the record \p path, or nothing: an explanation is not worth a
/// warning.
static std::optional<LinkRecord> readRecord(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false,
                                    /*IsVolatile=*/true);
  if (!file)
    return std::nullopt;
  Expected<LinkRecord> record = decodeRecord((*file)->getBuffer(), path);
  if (record)
    return std::move(*record);
  consumeError(record.takeError());
  return std::nullopt;
}

static std::string titleOf(const LtransJob &job) {
  constexpr size_t kNamedInputs = 3;
  std::string title = job.side == Side::Host ? "host" : job.arch;
  for (const JobInput &input : ArrayRef(job.inputs).take_front(kNamedInputs))
    title += (&input == &job.inputs.front() ? ": " : ", ") +
             InputLocation(input.path, input.member).str();
  if (job.inputs.size() > kNamedInputs)
    title +=
        " and " + std::to_string(job.inputs.size() - kNamedInputs) + " more";
  return title;
}

Error recordLink(StringRef directory, StringRef output, const LinkJobs &jobs,
                 ArrayRef<Digest> keys, ArrayRef<CacheState> states,
                 const Digest &optimizer) {
  std::string path = recordPath(directory, output);
  // Opening a pipe would wait for who writes it.
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path) &&
      unlink(path.c_str()) != 0)
    return inputError(InputLocation(path), "no regular file");
  std::optional<LinkRecord> before = readRecord(path);
  DenseMap<Digest, const JobRecord *> known; // looked up only
  if (before)
    for (const JobRecord &job : before->jobs)
      known[job.inputs] = &job;
  LinkRecord record;
  record.output = output.str();
  for (auto [i, key, state] : enumerate(keys, states)) {
    LtransJob job = jobs.make(i);
    JobRecord &made = record.jobs.emplace_back();
    made.title = titleOf(job);
    made.state = state;
    made.inputs = key;
    const JobRecord *same = known.lookup(key);
    made.parts = same ? same->parts : partsOf(job, optimizer);
    if (state == CacheState::Redone)
      made.reasons = whyRedone(made, before ? &*before : nullptr);
  }
  return writeFileAtomically(path, encodeRecord(record));
}

} // namespace gpulto
