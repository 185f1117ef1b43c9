//===- RecordTest.cpp - Descriptions leave nothing out --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "icf/FoldRoles.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

#include <cstddef>
#include <cstring>
#include <type_traits>

using namespace gpulto;

namespace {

/// Collects all that a description names.
class Speller : public RecordVisitor<Speller> {
public:
  template <typename T> void number(const char *, T &value) { add(value); }
  template <typename T> void signedNumber(const char *, T &value) {
    add(value);
  }
  template <typename E>
  void enumerator(const char *, E &value, llvm::ArrayRef<const char *>) {
    add(value);
  }
  void symbol(const char *, SymbolIndex &value, bool = false) { add(value); }
  void fresh(const char *, uint32_t &value, Fresh) { add(value); }
  void call(const char *, uint32_t &value, bool = false) { add(value); }
  void formal(const char *, uint32_t &value) { add(value); }
  void digest(const char *, Digest &value) {
    add(value.lo);
    add(value.hi);
  }
  /// As a whole: it has a test of its own.
  void jump(const char *, JumpFunction &value) {
    uint64_t words[sizeof(value) / sizeof(uint64_t)];
    static_assert(sizeof(words) == sizeof(value));
    std::memcpy(words, &value, sizeof(value));
    fields.insert(fields.end(), std::begin(words), std::end(words));
  }
  void jumps(const char *, Range &range, llvm::ArrayRef<const char *> = {}) {
    parts(range.first, range.count);
  }
  template <Table kTable> void records(const char *, Range &range) {
    parts(range.first, range.count);
  }
  void parts(uint32_t &first, uint32_t &count) {
    add(first);
    add(count);
  }
  void operands(uint32_t &operand, uint32_t &other) { parts(operand, other); }

  std::vector<uint64_t> fields;

private:
  template <typename T> void add(T value) {
    fields.push_back(static_cast<uint64_t>(value));
  }
};

template <typename T> std::vector<uint64_t> spell(T record) {
  Speller speller;
  describe(speller, record);
  return speller.fields;
}

/// Calls \p visit with the place of each byte of \p record that is of a field,
/// and a record that differs in it.
template <typename T, typename F> void forEachByte(const T &record, F visit) {
  static_assert(std::is_trivially_copyable_v<T>);
  for (size_t i = 0; i < sizeof(T); ++i) {
    T other = record;
    char byte;
    std::memcpy(&byte, reinterpret_cast<char *>(&other) + i, 1);
    byte ^= 1;
    std::memcpy(reinterpret_cast<char *>(&other) + i, &byte, 1);
    if (!(other == record))
      visit(i, other);
  }
}

/// Returns the places of bytes that no description of \p records names.
template <typename T>
std::vector<size_t> forgotten(const std::vector<T> &records) {
  std::vector<unsigned> seen(sizeof(T)), described(sizeof(T));
  for (const T &record : records)
    forEachByte(record, [&](size_t i, const T &other) {
      ++seen[i];
      described[i] += spell(other) != spell(record);
    });
  std::vector<size_t> result;
  for (size_t i = 0; i < sizeof(T); ++i)
    if (seen[i] && !described[i])
      result.push_back(i);
  return result;
}

template <typename T> std::vector<T> ofEveryKind(T record, auto T::*kind) {
  using Kind = std::remove_reference_t<decltype(record.*kind)>;
  std::vector<T> result;
  for (unsigned i = 0; i <= unsigned(Kind::Last); ++i) {
    record.*kind = static_cast<Kind>(i);
    result.push_back(record);
  }
  return result;
}

/// Returns records that together have all that a description of them may name.
template <typename T> std::vector<T> samplesOf(T record) { return {record}; }
std::vector<HandleFlow> samplesOf(HandleFlow record) {
  return ofEveryKind(record, &HandleFlow::to);
}
std::vector<TransferValue> samplesOf(TransferValue record) {
  return ofEveryKind(record, &TransferValue::kind);
}

/// As forgotten(), of the records of a table; of those that hold lists, nothing.
template <typename T> std::vector<size_t> forgottenOf(T record) {
  if constexpr (std::is_trivially_copyable_v<T>)
    return forgotten(samplesOf(record));
  return {};
}

TEST(Record, DescriptionsLeaveNothingOut) {
  using testing::IsEmpty;
#define GPULTO_BODY_TABLE(RECORD, TABLE, LEAST, WORD)                          \
  EXPECT_THAT(forgottenOf(RECORD()), IsEmpty()) << #TABLE;
#include "summary/Tables.def"
  EXPECT_THAT(forgotten<AliasSummary>({{}}), IsEmpty());
  EXPECT_THAT(forgotten<StructorRecord>({{}}), IsEmpty());
  EXPECT_THAT(forgotten<AggregatePart>({{}}), IsEmpty());
  EXPECT_THAT(forgotten(ofEveryKind(GuardFact(), &GuardFact::kind)), IsEmpty());
  FunctionSummary function;
  function.foldHash = {1, 1};
  function.place.line = 2;
  EXPECT_THAT(forgotten<FunctionSummary>({{}, function}), IsEmpty());
  VariableSummary variable;
  variable.foldHash = {1, 1};
  EXPECT_THAT(forgotten<VariableSummary>({{}, variable}), IsEmpty());

  JumpFunction operation;
  operation.operation = JumpOperation::Add;
  std::vector<JumpFunction> jumps =
      ofEveryKind(JumpFunction(), &JumpFunction::kind);
  llvm::append_range(jumps, ofEveryKind(operation, &JumpFunction::kind));
  EXPECT_THAT(forgotten(jumps), IsEmpty());
}

/// A record whose description lacks a field.
struct Careless {
  uint32_t named = 0, left = 0;
  bool operator==(const Careless &) const = default;
};
template <typename V> void describe(V &v, Careless &c) {
  v.number("named", c.named);
}

TEST(Record, WhatIsLeftOutIsFound) {
  EXPECT_THAT(forgotten<Careless>({{}}), testing::ElementsAre(4, 5, 6, 7));
}

/// Returns the places of bytes of \p record, the only one in \p table of a
/// function's, in which bodies that fold may differ.
template <typename T>
std::vector<size_t> ignoredInFolds(const T &record,
                                   std::vector<T> ModuleSummary::*table,
                                   Range FunctionSummary::*range) {
  auto digestWith = [&](const T &value) {
    ModuleBuilder module;
    module.define("f", kPrevailing | kFinalDefinition | kResolved, {});
    (module.summary().*table).push_back(value);
    module.summary().functions[0].*range = {0, 1};
    CombinedSummary program;
    program.addModule(module.take(0));
    EXPECT_FALSE(program.resolve());
    return digestOfConclusions(program, program.lookup(kHostImage, "f"));
  };
  std::vector<size_t> result;
  forEachByte(record, [&](size_t i, const T &other) {
    if (digestWith(other) == digestWith(record))
      result.push_back(i);
  });
  return result;
}

/// Returns the bytes of fields of four bytes at \p places.
std::vector<size_t> words(std::initializer_list<size_t> places) {
  std::vector<size_t> result;
  for (size_t place : places)
    for (size_t i = 0; i < 4; ++i)
      result.push_back(place + i);
  return result;
}

TEST(Record, BodiesFoldThatConcludeTheSame) {
  EXPECT_EQ(ignoredInFolds({}, &ModuleSummary::parameters,
                           &FunctionSummary::parameters),
            words({offsetof(ParameterRecord, constantGain),
                   offsetof(ParameterRecord, name)}));
  EXPECT_EQ(ignoredInFolds({}, &ModuleSummary::loadedParts,
                           &FunctionSummary::loadedParts),
            words({}));
  EXPECT_EQ(
      ignoredInFolds({}, &ModuleSummary::members, &FunctionSummary::members),
      words({}));
  EXPECT_EQ(ignoredInFolds({}, &ModuleSummary::stubArguments,
                           &FunctionSummary::stubArguments),
            words({}));
}

} // namespace
