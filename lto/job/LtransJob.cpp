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

#include "support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <set>
#include <type_traits>

using namespace llvm;

namespace gpulto {

static constexpr int64_t kJobVersion = 15;

std::string promotedName(StringRef name, StringRef tag) {
  return (name + ".gpulto." + tag).str();
}

//===----------------------------------------------------------------------===//
// One description of the fields serves both directions: transfer(archive, x)
// calls archive.field(name, member) for each, in file order.
//===----------------------------------------------------------------------===//

namespace {

/// Names of an enumeration's values, in order.
template <typename E> struct EnumNames;
template <> struct EnumNames<JobRole> {
  static constexpr const char *names[] = {"define", "import"};
};
template <> struct EnumNames<FinalLinkage> {
  static constexpr const char *names[] = {"internal", "hidden", "preserved",
                                          "redefined"};
};
template <> struct EnumNames<Side> {
  static constexpr const char *names[] = {"host", "device"};
};

/// The bits of MemoryEffect, and of ReferenceFlag.
enum class EffectBit : uint8_t {};
template <> struct EnumNames<EffectBit> {
  static constexpr const char *names[] = {
      "readArguments", "writeArguments", "readGlobals", "writeGlobals",
      "readOther",     "writeOther",     "readHidden",  "writeHidden",
      "synchronize",   "unwind",         "notReturn",   "free"};
};
enum class UseBit : uint8_t {};
template <> struct EnumNames<UseBit> {
  static constexpr const char *names[] = {"read", "write", "takeAddress"};
};

template <> struct EnumNames<ValueKind> {
  static constexpr const char *names[] = {"constant", "address", "bounds"};
};

template <> struct EnumNames<Coldness> {
  static constexpr const char *names[] = {"normal", "runsOnce", "cold"};
};

template <typename A> void transfer(A &a, ValueFact &f) {
  a.field("parameter", f.parameter);
  a.field("isPart", f.isPart);
  a.field("byteOffset", f.byteOffset);
  a.field("kind", f.kind);
  a.field("bitWidth", f.bitWidth);
  a.field("value", f.value);
  a.field("symbol", f.symbolName);
  a.field("isFunction", f.isFunction);
  a.field("low", f.low);
  a.field("high", f.high);
  a.field("knownZeros", f.knownZeros);
  a.field("knownOnes", f.knownOnes);
  a.field("alignLog2", f.alignLog2);
  a.field("addressSpace", f.addressSpace);
  a.field("isNonNull", f.isNonNull);
  a.field("isNoAlias", f.isNoAlias);
  a.field("isUnwritten", f.isUnwritten);
  a.field("dereferenceableBytes", f.dereferenceableBytes);
}

template <typename A> void transfer(A &a, GeometryFact &f) {
  a.field("low", f.low);
  a.field("high", f.high);
}

template <typename A> void transfer(A &a, PointerSource &p) {
  a.field("parameter", p.parameter);
  a.field("isPart", p.isPart);
  a.field("byteOffset", p.byteOffset);
}

template <typename A> void transfer(A &a, ApartPair &p) {
  a.field("first", p.first);
  a.field("second", p.second);
}

template <typename A> void transfer(A &a, FunctionFacts &f) {
  a.field("values", f.values);
  a.field("geometry", f.geometry);
  a.field("apart", f.apart);
  a.field("mayDeclareBlock", f.mayDeclareBlock);
}

/// Bits of a mask as a list of their names: calls \p transfer with the list.
template <typename E, typename Mask, typename F>
void describeMask(Mask &mask, unsigned firstBit, F transfer) {
  std::vector<E> list;
  for (unsigned i = 0; i < std::size(EnumNames<E>::names); ++i)
    if (mask >> (firstBit + i) & 1)
      list.push_back(static_cast<E>(i));
  transfer(list);
  mask = 0;
  for (E value : list)
    mask |= Mask(1) << (firstBit + static_cast<unsigned>(value));
}

template <typename A> void transfer(A &a, VariableUse &u) {
  a.field("name", u.name);
  describeMask<UseBit>(u.flags, 0, [&](auto &list) { a.field("uses", list); });
}

template <typename A> void transfer(A &a, FunctionEffects &e) {
  describeMask<EffectBit>(e.may, 0, [&](auto &list) { a.field("may", list); });
  a.field("neverReturns", e.neverReturns);
  a.field("alwaysReturns", e.alwaysReturns);
  a.field("parameters", e.parameters); // ParamMay... flags
  a.field("variables", e.variables);
}

template <typename A> void transfer(A &a, JobFunction &f) {
  a.field("name", f.name);
  a.field("effects", f.effects);
  a.field("coldness", f.coldness);
  a.field("returned", f.returned);
}

template <> struct EnumNames<ScalarKind> {
  static constexpr const char *names[] = {"integer", "float", "pointer"};
};

template <typename A> void transfer(A &a, LoadedPart &p) {
  a.field("parameter", p.parameter);
  a.field("byteOffset", p.byteOffset);
  a.field("kind", p.kind);
  a.field("bitWidth", p.bitWidth);
  a.field("alignLog2", p.alignLog2);
}

template <typename A> void transfer(A &a, JobSignature &s) {
  a.field("name", s.name);
  a.field("dropped", s.change.dropped);
  a.field("loaded", s.change.loaded);
  a.field("dropsResult", s.change.dropsResult);
}

template <typename A> void transfer(A &a, JobVariable &v) {
  a.field("name", v.name);
  a.field("sizeBytes", v.sizeBytes);
  a.field("alignLog2", v.alignLog2);
  a.field("isNeverWritten", v.isNeverWritten);
  a.field("isNeverRead", v.isNeverRead);
}

template <typename A> void transfer(A &a, JobRedirect &r) {
  a.field("call", r.call);
  a.field("callee", r.callee);
  a.field("isHandle", r.isHandle);
}

template <typename A> void transfer(A &a, LaunchValue &v) {
  a.field("isGeometry", v.isGeometry);
  a.field("parameter", v.parameter);
  a.field("isPart", v.isPart);
  a.field("byteOffset", v.byteOffset);
  a.field("bitWidth", v.bitWidth);
}

template <typename A> void transfer(A &a, LaunchTerm &t) {
  uint64_t bits = static_cast<uint64_t>(t.coefficient);
  a.field("coefficient", bits); // two's complement
  t.coefficient = static_cast<int64_t>(bits);
  a.field("factors", t.factors);
}

template <typename A> void transfer(A &a, LaunchSum &s) {
  a.field("terms", s.terms);
}

template <typename A> void transfer(A &a, PointerExtent &e) {
  transfer(a, e.pointer);
  a.field("lows", e.lows);
  a.field("highs", e.highs);
  a.field("premises", e.premises);
}

template <typename A> void transfer(A &a, OverlapGuard::Pair &p) {
  a.field("first", p.first);
  a.field("second", p.second);
}

template <typename A> void transfer(A &a, OverlapGuard &o) {
  a.field("pointers", o.pointers);
  a.field("pairs", o.pairs);
}

template <typename A> void transfer(A &a, JobBody &b) {
  a.field("clone", b.clone);
  a.field("cloneLinkage", b.cloneLinkage);
  a.field("facts", b.facts);
  a.field("redirects", b.redirects);
  a.field("guard", b.guard);
  a.field("overlap", b.overlap);
  a.field("guarded", b.guarded);
}

template <typename A> void transfer(A &a, JobInlinedCall &c) {
  a.field("call", c.call);
  a.field("callee", c.callee);
}

template <typename A> void transfer(A &a, RecursiveCall &c) {
  a.field("call", c.call);
  a.field("chance", c.chance);
}

template <typename A> void transfer(A &a, RecursiveInlining &r) {
  a.field("copies", r.copies);
  a.field("depth", r.depth);
  a.field("calls", r.calls);
}

template <typename A> void transfer(A &a, JobSymbol &s) {
  a.field("name", s.name);
  a.field("contents", s.contents);
  a.field("role", s.role);
  a.field("linkage", s.linkage);
  a.field("bodies", s.bodies);
  a.field("calls", s.calls);
  a.field("jumpsTo", s.jumpsTo);
  a.field("inlined", s.inlined);
  a.field("recursion", s.recursion);
}

template <typename A> void transfer(A &a, JobFold &f) {
  a.field("name", f.name);
  a.field("leader", f.leader);
  a.field("merge", f.merge);
  a.field("jumps", f.jumps);
  a.field("number", f.number);
}

template <typename A> void transfer(A &a, JobLeader &l) {
  a.field("name", l.name);
  a.field("number", l.number);
}

template <typename A> void transfer(A &a, JobRenaming &r) {
  a.field("name", r.name);
  a.field("newName", r.newName);
}

template <typename A> void transfer(A &a, JobInput &i) {
  a.field("path", i.path);
  a.field("member", i.member);
  a.field("offset", i.offset);
  a.field("storedBytes", i.storedBytes);
  a.field("rawBytes", i.rawBytes);
  a.field("compressed", i.compressed);
  a.field("digest", i.digest);
  a.field("tag", i.tag);
  a.field("isStock", i.isStock);
  a.field("fusesAll", i.fusesAll);
  a.field("isHome", i.isHome);
  a.field("emitsAssembly", i.emitsAssembly);
  a.field("renamed", i.renamed);
  a.field("localized", i.localized);
  a.field("symbols", i.symbols);
  a.field("folds", i.folds);
}

template <typename A> void transfer(A &a, JobStructor &s) {
  a.field("priority", s.priority);
  a.field("function", s.function);
  a.field("isDestructor", s.isDestructor);
}

template <typename A> void transfer(A &a, HostCodegenOptions &o) {
  a.field("optLevel", o.optLevel);
  a.field("relocationModel", o.relocationModel);
  a.field("outputKnown", o.outputKnown);
  a.field("picLevel", o.picLevel);
  a.field("pieLevel", o.pieLevel);
  a.field("codeModel", o.codeModel);
  a.field("cpu", o.cpu);
  a.field("features", o.features);
  a.field("functionSections", o.functionSections);
  a.field("dataSections", o.dataSections);
  a.field("uniqueSectionNames", o.uniqueSectionNames);
  a.field("wrapped", o.wrapped);
}

template <typename A> void transfer(A &a, DeviceCodegenOptions &o) {
  a.field("ptxas", o.ptxas);
  a.field("ptxasDigest", o.ptxasDigest);
  a.field("ptxasArguments", o.ptxasArguments);
  a.field("wantCubin", o.wantCubin);
  a.field("checkKernels", o.checkKernels);
  a.field("relocatable", o.relocatable);
  a.field("open", o.open);
}

template <typename A> void transfer(A &a, RemarkRequest &r) {
  a.field("passed", r.passed);
  a.field("missed", r.missed);
  a.field("analysis", r.analysis);
  a.field("kept", r.kept);
}

template <typename A> void transfer(A &a, LtransJob &j) {
  a.field("index", j.index);
  a.field("side", j.side);
  a.field("arch", j.arch);
  a.field("optLevel", j.optLevel);
  a.field("sizeLevel", j.sizeLevel);
  a.field("host", j.host);
  a.field("device", j.device);
  a.field("llvmOptions", j.llvmOptions);
  a.field("remarks", j.remarks);
  a.field("inputs", j.inputs);
  a.field("structors", j.structors);
  a.field("functions", j.functions);
  a.field("signatures", j.signatures);
  a.field("variables", j.variables);
  a.field("leaders", j.leaders);
  a.field("weight", j.weight);
  a.field("memoryBytes", j.memoryBytes);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

class JobWriter {
public:
  explicit JobWriter(json::OStream &out) : out(out) {}

  template <typename T> void field(const char *name, T &member) {
    out.attributeBegin(name);
    value(member);
    out.attributeEnd();
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
    else if constexpr (std::is_enum_v<T>)
      out.value(EnumNames<T>::names[static_cast<unsigned>(item)]);
    else if constexpr (std::is_integral_v<T>)
      out.value(static_cast<uint64_t>(item));
    else
      out.object([&] { transfer(*this, item); });
  }

  json::OStream &out;
};

//===----------------------------------------------------------------------===//
// Digests
//===----------------------------------------------------------------------===//

/// Names of fields are not added: all fields are there, in a fixed order.
class JobDigester {
public:
  template <typename T> void field(const char *, T &member) { value(member); }
  template <typename T> void value(std::vector<T> &list) {
    hasher.add(list.size());
    for (T &element : list)
      value(element);
  }
  template <typename T> void value(T &item) {
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Digest> ||
                  std::is_integral_v<T> || std::is_enum_v<T>)
      hasher.add(item);
    else
      transfer(*this, item);
  }
  Digest finish() const { return hasher.finish(); }

private:
  StableHasher hasher;
};

template <typename T> Digest digestOfPart(const T &part) {
  T copy = part; // transfer() serves the reader too, which writes
  JobDigester digester;
  digester.value(copy);
  return digester.finish();
}

/// Visits the fields of a flat structure.
struct FieldLister {
  function_ref<void(StringRef, const Digest &)> visit;
  template <typename T> void field(const char *name, T &member) {
    visit(name, digestOfPart(member));
  }
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
class JobReader {
public:
  JobReader(const json::Object &object, json::Path path, ReadState &state)
      : object(object), path(path), state(state) {}

  template <typename T> void field(const char *name, T &member) {
    known.insert(name);
    if (!state.ok)
      return;
    const json::Value *found = object.get(name);
    if (!found)
      return fail(path.field(name), "missing value");
    value(*found, path.field(name), member);
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
    } else if constexpr (std::is_enum_v<T>) {
      enumeration(from, where, to);
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
  template <typename E>
  void enumeration(const json::Value &from, json::Path where, E &to) {
    auto text = from.getAsString();
    if (!text)
      return fail(where, "expected string");
    unsigned index = 0;
    for (const char *name : EnumNames<E>::names) {
      if (*text == name) {
        to = static_cast<E>(index);
        return;
      }
      ++index;
    }
    fail(where, "unknown value");
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
Digest digestOf(const JobSymbol &symbol) { return digestOfPart(symbol); }
Digest digestOf(const JobFold &fold) { return digestOfPart(fold); }
Digest digestOf(const JobFunction &function) { return digestOfPart(function); }
Digest digestOf(const JobSignature &signature) {
  return digestOfPart(signature);
}
Digest digestOf(const JobVariable &variable) { return digestOfPart(variable); }
Digest digestOf(const JobLeader &leader) { return digestOfPart(leader); }
Digest digestOf(const JobStructor &structor) { return digestOfPart(structor); }

void forEachOption(const LtransJob &job,
                   function_ref<void(StringRef, const Digest &)> visit) {
  FieldLister lister{visit};
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
