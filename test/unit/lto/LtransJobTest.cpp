//===- LtransJobTest.cpp - Text form of LTRANS jobs -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/LtransJob.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lto/job/JobArchive.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <random>

using namespace gpulto;
using namespace llvm;
using testing::HasSubstr;

namespace {

/// Gives each field that transfer() names a random value.
class Filler : public JobArchive<Filler> {
public:
  explicit Filler(unsigned seed) : random(seed) {}

  template <typename T> void field(const char *, T &member) { fill(member); }
  template <typename E>
  void enumerator(const char *, E &value, ArrayRef<const char *> names) {
    value = static_cast<E>(random() % names.size());
  }
  template <typename T>
  void flags(const char *, T &word, ArrayRef<FlagName> names) {
    word = 0;
    for (const FlagName &name : names)
      if (random() % 2)
        word |= static_cast<T>(name.flag);
  }

private:
  template <typename T> void fill(std::vector<T> &list) {
    constexpr unsigned kMost = 3;
    list.resize(random() % (kMost + 1));
    for (T &element : list)
      fill(element);
  }
  template <typename T> void fill(T &item) {
    if constexpr (std::is_same_v<T, bool>)
      item = random() % 2;
    else if constexpr (std::is_integral_v<T>)
      item = static_cast<T>(random() % 4 ? random() % 4 : ~T(0) - random() % 2);
    else if constexpr (std::is_same_v<T, Digest>)
      item = {random(), random()};
    else if constexpr (std::is_same_v<T, std::string>)
      item = text();
    else
      transfer(*this, item);
  }
  /// Some are no UTF-8, or have to be quoted.
  std::string text() {
    static constexpr const char *kTexts[] = {"", "_Z1fv", "\1f", "a\"\\\n",
                                             "lib\xff name.a"};
    return kTexts[random() % std::size(kTexts)];
  }

  std::mt19937_64 random;
};

LtransJob randomJob(unsigned seed) {
  LtransJob job;
  Filler filler(seed);
  transfer(filler, job);
  // What a reader refuses.
  job.optLevel %= 4;
  job.sizeLevel %= 3;
  job.host.optLevel %= 4;
  job.arch = job.side == Side::Device ? "sm_90a" : "";
  for (auto [i, input] : enumerate(job.inputs))
    input.tag = std::to_string(i);
  return job;
}

/// Finds members that no transfer() names: in a part of a job, and in all that
/// is in it.
class GapFinder : public JobArchive<GapFinder> {
public:
  template <typename T>
  static void find(const std::string &where, std::vector<std::string> &gaps) {
    T part{};
    GapFinder finder(&part, sizeof(part), where, gaps);
    transfer(finder, part);
    finder.markOmitted(part);
    for (size_t i = 0; i < sizeof(part); ++i)
      if (!finder.named[i] && finder.isMember(part, i)) {
        gaps.push_back(where + ", byte " + std::to_string(i));
        break;
      }
  }

  template <typename T> void field(const char *name, T &member) {
    mark(member);
    visit(name, member);
  }
  template <typename T> void always(const char *name, std::optional<T> &part) {
    mark(part);
    visit(name, part.emplace());
  }
  void signedNumber(const char *, int64_t &value) { mark(value); }

private:
  GapFinder(const void *part, size_t size, const std::string &where,
            std::vector<std::string> &gaps)
      : start(static_cast<const char *>(part)), named(size), where(where),
        gaps(gaps) {}

  template <typename T> void mark(const T &member) {
    size_t first = reinterpret_cast<const char *>(&member) - start;
    ASSERT_LE(first + sizeof(member), named.size());
    std::fill_n(named.begin() + first, sizeof(member), true);
  }

  // What jobs leave out.
  template <typename T> void markOmitted(const T &) {}
  void markOmitted(const ValueFact &f) { mark(f.symbol); }
  void markOmitted(const VariableUse &u) { mark(u.variable); }
  void markOmitted(const JobSignature &s) { mark(s.change.clone); }
  void markOmitted(const DeviceCodegenOptions &o) { mark(o.tool); }
  void markOmitted(const KernelLaunches &l) { mark(l.places); }

  /// Whether byte \p i is no padding: that never fills an aligned word, and
  /// nobody compares it.
  template <typename T> bool isMember(T &part, size_t i) {
    constexpr size_t kWord = 8;
    auto word = named.begin() + i / kWord * kWord;
    if (alignof(T) == kWord &&
        std::find(word, word + kWord, true) == word + kWord)
      return true;
    const T other = part;
    char &byte = reinterpret_cast<char &>(part), *at = &byte + i;
    *at ^= 1;
    bool differs = !(part == other);
    *at ^= 1;
    return differs;
  }

  template <typename T> void visit(const std::string &name, std::vector<T> &) {
    if constexpr (std::is_class_v<T>) {
      T element{};
      visit(name, element);
    }
  }
  template <typename T> void visit(const std::string &name, T &) {
    if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string> &&
                  !std::is_same_v<T, Digest>)
      find<T>(where + "." + name, gaps);
  }

  const char *start;
  std::vector<bool> named; // by byte
  std::string where;
  std::vector<std::string> &gaps;
};

/// A part whose transfer() lacks members.
struct Careless {
  uint32_t number = 0;
  bool isNamed = false, isLeft = false;
  std::vector<uint32_t> list{};
  bool operator==(const Careless &) const = default;
};
template <typename A> void transfer(A &a, Careless &c) {
  a.field("number", c.number);
  a.field("isNamed", c.isNamed);
  a.field("list", c.list);
}

} // namespace

TEST(LtransJob, RoundTrips) {
  std::vector<LtransJob> jobs = {LtransJob()};
  for (unsigned seed = 0; seed < 200; ++seed)
    jobs.push_back(randomJob(seed));
  for (const LtransJob &job : jobs) {
    std::string text = writeJob(job);
    Expected<LtransJob> read = readJob(text, "j");
    ASSERT_TRUE(static_cast<bool>(read)) << toString(read.takeError());
    EXPECT_EQ(*read, job);
    EXPECT_EQ(writeJob(*read), text);
    EXPECT_EQ(digestOf(*read), digestOf(job));
  }
}

TEST(LtransJob, DescriptionsLeaveNothingOut) {
  std::vector<std::string> gaps;
  GapFinder::find<LtransJob>("job", gaps);
  EXPECT_THAT(gaps, testing::IsEmpty());
  GapFinder::find<Careless>("careless", gaps);
  EXPECT_THAT(gaps, testing::ElementsAre("careless, byte 5"));
}

/// A job with what the tests of damaged text change.
static LtransJob fullJob() {
  LtransJob job;
  job.index = 7;
  job.side = Side::Device;
  job.arch = "sm_90a";
  job.optLevel = 3;
  JobInput input;
  input.isHome = true;
  JobSymbol symbol;
  symbol.role = JobRole::Import;
  input.symbols = {symbol};
  job.inputs = {input};
  JobFunction function;
  function.decided.effects.emplace().may = kReadsArguments;
  job.functions = {function};
  return job;
}

static std::string errorOf(StringRef text) {
  Expected<LtransJob> read = readJob(text, "j.json");
  if (!read)
    return toString(read.takeError());
  ADD_FAILURE() << "accepted: " << text.str();
  return "";
}

static std::string changed(StringRef from, StringRef to) {
  std::string text = writeJob(fullJob());
  size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from.str();
  return text.replace(position, from.size(), to);
}

TEST(LtransJob, RefusesOtherText) {
  EXPECT_THAT(errorOf(""), HasSubstr("j.json: no job file"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("'gpultoJob' is missing"));
  EXPECT_THAT(errorOf("{\"gpultoJob\":99}"), HasSubstr("job version 99"));
  EXPECT_THAT(errorOf(changed("\"weight\"", "\"height\"")),
              HasSubstr("weight"));
  EXPECT_THAT(errorOf(changed("\"isHome\": true", "\"isHome\": 1")),
              HasSubstr("isHome"));
  EXPECT_THAT(errorOf(changed("\"index\": 7", "\"index\": 4294967296")),
              HasSubstr("number too large"));
  EXPECT_THAT(errorOf(changed("\"import\"", "\"export\"")),
              HasSubstr("unknown value"));
  EXPECT_THAT(errorOf(changed("\"readArguments\"", "\"readMinds\"")),
              AllOf(HasSubstr("may"), HasSubstr("unknown value")));
  EXPECT_THAT(errorOf(changed("\"side\"", "\"aaa\": 1, \"side\"")),
              HasSubstr("unknown key"));
  EXPECT_THAT(errorOf(changed("\"isHome\"", "\"inTheInput\": 1, \"isHome\"")),
              AllOf(HasSubstr("inTheInput"), HasSubstr("unknown key")));
  EXPECT_THAT(errorOf(changed("\"sm_90a\"", "\"\"")),
              HasSubstr("names an architecture"));
  EXPECT_THAT(errorOf(changed("\"optLevel\": 3", "\"optLevel\": 4")),
              HasSubstr("out of range"));
}

TEST(LtransJob, NamesPromotedSymbols) {
  EXPECT_EQ(promotedName("s", "t"), "s.gpulto.t");
}
