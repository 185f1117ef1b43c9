//===- LtransJob.cpp - Text form of LTRANS jobs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// JSON, with every key written, in a fixed order. The reader is strict: a
// missing, unknown or mistyped key is an error with its path, so a job from
// another version is refused instead of half understood.
//
// Symbol names and paths are bytes. Those that are not UTF-8, which JSON cannot
// hold, are written as {"bytes": "<hexadecimal>"}.
//
//===----------------------------------------------------------------------===//

#include "lto/job/LtransJob.h"

#include "lto/job/JobArchive.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <optional>
#include <set>
#include <type_traits>

using namespace llvm;

namespace gpulto {

std::string promotedName(StringRef name, StringRef tag) {
  return (name + ".gpulto." + tag).str();
}

namespace {

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

class JobWriter : public JobArchive<JobWriter> {
public:
  explicit JobWriter(json::OStream &out) : out(out) {}

  template <typename T> void field(const char *name, T &member) {
    out.attributeBegin(name);
    value(member);
    out.attributeEnd();
  }
  template <typename E>
  void enumerator(const char *name, E &value, ArrayRef<const char *> names) {
    out.attribute(name, names[static_cast<unsigned>(value)]);
  }
  template <typename T>
  void flags(const char *name, T &word, ArrayRef<FlagName> names) {
    out.attributeArray(name, [&] {
      for (const FlagName &flag : names)
        if (word & flag.flag)
          out.value(flag.name);
    });
  }

private:
  void text(const std::string &text) {
    if (json::isUTF8(text)) {
      out.value(StringRef(text));
      return;
    }
    out.object([&] { out.attribute("bytes", toHex(text, true)); });
  }
  template <typename T> void value(std::vector<T> &list) {
    out.array([&] {
      for (T &element : list)
        value(element);
    });
  }
  template <typename T> void value(T &item) {
    if constexpr (std::is_same_v<T, bool>)
      out.value(item);
    else if constexpr (std::is_same_v<T, std::string>)
      text(item);
    else if constexpr (std::is_same_v<T, Digest>)
      out.value(item.hex());
    else if constexpr (std::is_integral_v<T>)
      out.value(static_cast<uint64_t>(item));
    else
      out.object([&] { transfer(*this, item); });
  }

  json::OStream &out;
};

/// Visits the fields of a flat structure.
struct FieldLister : JobArchive<FieldLister> {
  explicit FieldLister(function_ref<void(StringRef, const Digest &)> visit)
      : visit(visit) {}
  template <typename T> void field(const char *name, T &member) {
    visit(name, digestOfPart(member));
  }
  function_ref<void(StringRef, const Digest &)> visit;
};

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// What the readers of one file share. Outlives them, as the error's path does,
/// which points to unknownKey.
struct ReadState {
  bool ok = true;
  std::string unknownKey;
};

/// Reads one object; the first problem is kept and ends the reading.
class JobReader : public JobArchive<JobReader> {
public:
  JobReader(const json::Object &object, json::Path path, ReadState &state)
      : object(object), path(path), state(state) {}

  template <typename T> void field(const char *name, T &member) {
    if (const json::Value *found = find(name))
      value(*found, path.field(name), member);
  }
  template <typename E>
  void enumerator(const char *name, E &to, ArrayRef<const char *> names) {
    const json::Value *found = find(name);
    std::string word;
    if (!found || !readWord(*found, path.field(name), word))
      return;
    auto match = llvm::find(names, word);
    if (match == names.end())
      return fail(path.field(name), "unknown value");
    to = static_cast<E>(match - names.begin());
  }
  template <typename T>
  void flags(const char *name, T &to, ArrayRef<FlagName> names) {
    const json::Value *found = find(name);
    if (!found)
      return;
    json::Path all = path.field(name);
    const json::Array *list = found->getAsArray();
    if (!list)
      return fail(all, "expected array");
    to = 0;
    for (size_t i = 0; i < list->size() && state.ok; ++i) {
      json::Path where = all.index(i);
      std::string word;
      if (!readWord((*list)[i], where, word))
        return;
      auto match = find_if(
          names, [&](const FlagName &flag) { return word == flag.name; });
      if (match == names.end())
        return fail(where, "unknown value");
      to |= static_cast<T>(match->flag);
    }
  }

  /// Reports a key that no field() call asked for.
  void finish() {
    if (!state.ok)
      return;
    // json::Object is a hash map: report the first unknown key by name.
    std::set<std::string> unknown;
    for (const auto &entry : object)
      if (!known.count(entry.first.str()))
        unknown.insert(entry.first.str());
    if (unknown.empty())
      return;
    state.unknownKey = *unknown.begin();
    fail(path.field(state.unknownKey), "unknown key");
  }

private:
  void fail(json::Path where, StringLiteral message) {
    where.report(message);
    state.ok = false;
  }

  /// Returns the value of the key \p name, or null after an error.
  const json::Value *find(const char *name) {
    known.insert(name);
    if (!state.ok)
      return nullptr;
    const json::Value *found = object.get(name);
    if (!found)
      fail(path.field(name), "missing value");
    return found;
  }
  /// Returns whether \p from is a text, which goes to \p to.
  bool readWord(const json::Value &from, json::Path where, std::string &to) {
    std::optional<StringRef> text = from.getAsString();
    if (!text) {
      fail(where, "expected string");
      return false;
    }
    to = text->str();
    return true;
  }

  void value(const json::Value &from, json::Path where, std::string &to) {
    if (auto text = from.getAsString()) {
      to = text->str();
      return;
    }
    const json::Object *wrapped = from.getAsObject();
    auto bytes = wrapped ? wrapped->getString("bytes") : std::nullopt;
    if (!bytes || wrapped->size() != 1 || !tryGetFromHex(*bytes, to))
      fail(where, "expected string");
  }
  void value(const json::Value &from, json::Path where, Digest &to) {
    auto text = from.getAsString();
    if (!text || !Digest::fromHex(*text, to))
      fail(where, "expected 32 hexadecimal digits");
  }
  template <typename T>
  void value(const json::Value &from, json::Path where, std::vector<T> &to) {
    const json::Array *list = from.getAsArray();
    if (!list)
      return fail(where, "expected array");
    to.clear();
    to.resize(list->size());
    for (size_t i = 0; i < list->size() && state.ok; ++i)
      value((*list)[i], where.index(i), to[i]);
  }
  template <typename T>
  void value(const json::Value &from, json::Path where, T &to) {
    if constexpr (std::is_same_v<T, bool>) {
      auto flag = from.getAsBoolean();
      if (!flag)
        return fail(where, "expected boolean");
      to = *flag;
    } else if constexpr (std::is_integral_v<T>) {
      auto number = from.getAsUINT64();
      if (!number)
        return fail(where, "expected unsigned integer");
      if (*number > std::numeric_limits<T>::max())
        return fail(where, "number too large");
      to = static_cast<T>(*number);
    } else {
      const json::Object *inner = from.getAsObject();
      if (!inner)
        return fail(where, "expected object");
      JobReader reader(*inner, where, state);
      transfer(reader, to);
      reader.finish();
    }
  }

  const json::Object &object;
  json::Path path;
  ReadState &state;
  std::set<std::string> known;
};

} // namespace

Digest digestOf(const LtransJob &job) {
  StableHasher hasher;
  hasher.add(kJobVersion);
  hasher.add(digestOfPart(job));
  return hasher.finish();
}

void forEachOption(const LtransJob &job,
                   function_ref<void(StringRef, const Digest &)> visit) {
  FieldLister lister(visit);
  LtransJob copy = job;
  lister.field("optLevel", copy.optLevel);
  lister.field("sizeLevel", copy.sizeLevel);
  lister.field("-mllvm", copy.llvmOptions);
  lister.field("remarks", copy.remarks);
  if (job.side == Side::Host)
    transfer(lister, copy.host);
  else
    transfer(lister, copy.device);
}

std::string writeJob(const LtransJob &job) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream out(stream, /*IndentSize=*/1);
  LtransJob copy = job; // transfer() serves the reader too, which writes
  out.object([&] {
    out.attribute("gpultoJob", kJobVersion);
    JobWriter writer(out);
    transfer(writer, copy);
  });
  stream << '\n';
  return text;
}

std::string describeJob(const LtransJob &job) {
  constexpr size_t kNamedInputs = 3;
  std::string text = job.side == Side::Host ? "host" : job.arch;
  for (const JobInput &input : ArrayRef(job.inputs).take_front(kNamedInputs))
    text += (&input == &job.inputs.front() ? ": " : ", ") +
            InputLocation(input.path, input.member).str();
  if (job.inputs.size() > kNamedInputs)
    text +=
        " and " + std::to_string(job.inputs.size() - kNamedInputs) + " more";
  return text;
}

std::string nameOfJob(const LtransJob &job) {
  return "LTRANS job " + std::to_string(job.index) + " (" + describeJob(job) +
         ")";
}

static Error checkJob(const LtransJob &job, const InputLocation &where) {
  if (job.optLevel > 3 || job.sizeLevel > 2 || job.host.optLevel > 3)
    return inputError(where, "optimization level out of range");
  if ((job.side == Side::Device) == job.arch.empty())
    return inputError(where, "a device job names an architecture, a host job "
                             "does not");
  std::set<StringRef> tags;
  for (const JobInput &input : job.inputs)
    if (!tags.insert(input.tag).second)
      return inputError(where, "two inputs have the tag '" + input.tag + "'");
  return Error::success();
}

Expected<LtransJob> readJob(StringRef text, StringRef path) {
  InputLocation where(path);
  Expected<json::Value> parsed = json::parse(text);
  if (!parsed)
    return inputError(where, "no job file: " + toString(parsed.takeError()));
  const json::Object *object = parsed->getAsObject();
  auto version = object ? object->getInteger("gpultoJob") : std::nullopt;
  if (!version)
    return inputError(where, "no job file: the key 'gpultoJob' is missing");
  if (*version != kJobVersion)
    return inputError(where, "job version " + Twine(*version) +
                                 ", this program reads " + Twine(kJobVersion));
  LtransJob job;
  json::Path::Root root("job");
  ReadState state;
  {
    JobReader reader(*object, root, state);
    int64_t ignoredVersion = 0;
    reader.field("gpultoJob", ignoredVersion);
    transfer(reader, job);
    reader.finish();
  }
  if (!state.ok)
    return inputError(where, toString(root.getError()));
  if (Error error = checkJob(job, where))
    return error;
  return job;
}

} // namespace gpulto
