//===- LtransJobTest.cpp - Text form of LTRANS jobs -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/LtransJob.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "llvm/ADT/STLExtras.h"

using namespace gpulto;
using namespace llvm;
using testing::HasSubstr;

/// A job in which every field differs from its default.
static LtransJob fullJob() {
  LtransJob job;
  job.index = 7;
  job.side = Side::Device;
  job.arch = "sm_90a";
  job.optLevel = 3;
  job.sizeLevel = 1;
  job.host = {1,     "pic",    true,     2,
              2,     "medium", "znver3", {"+avx", "-sse4a"},
              false, false,    false,    {"malloc"}};
  job.device = {"/opt/cuda/bin/ptxas",
                digestOf("ptxas"),
                {"-maxrregcount", "64"},
                true,
                true,
                true,
                {},
                {}};
  job.llvmOptions = {"-unroll-count=3"};
  job.remarks = {"inline", "slp|loop", ".*", "licm"};
  JobInput input;
  input.path = "lib\xff name.a"; // no UTF-8
  input.member = "b.o";
  input.isStock = true;
  input.fusesAll = true;
  input.offset = 1ull << 40;
  input.storedBytes = 12;
  input.rawBytes = 34;
  input.compressed = true;
  input.digest = digestOf("x");
  input.tag = "0123abcd";
  input.isHome = true;
  input.emitsAssembly = true;
  FunctionFacts facts;
  facts.values = {{1, true, 8, ValueKind::Constant, 32, 7, kNone, "", false, 1,
                   2, 3, 4, 5, 6, true, true, true},
                  {2, false, 0, ValueKind::Address, 0, 16, kNone, "g", true}};
  facts.geometry = {{1, 4}, {256, 256}};
  facts.mayDeclareBlock = true;
  LaunchSum sum{{{-4, {}}, {INT64_MIN, {{true, 3}, {false, 2, true, 8, 64}}}}};
  OverlapGuard overlap;
  overlap.pointers = {{{1, true, 16}, {sum}, {sum, launchConstant(7)}, {sum}},
                      {{2}, {}, {}, {}}};
  overlap.pairs = {{0, 1}};
  input.symbols = {
      {"\1name",
       digestOf("y"),
       JobRole::Import,
       FinalLinkage::Internal,
       {},
       0,
       "",
       {{0, "f"}, {4, "g"}},
       {}},
      {"b",
       {},
       JobRole::Define,
       FinalLinkage::Hidden,
       {{"b.cp1",
         FinalLinkage::Hidden,
         facts,
         {{3, "c.cp2"}},
         facts,
         overlap,
         "b.cp2"}},
       9,
       "",
       {},
       {14, 3, {{2, 512}, {5, 1024}}}},
      {"c", {}, JobRole::Define, FinalLinkage::Redefined, {}, 1, "b", {}, {}}};
  input.folds = {{"d", "b", true, false, 7}, {"c", "b", true, true, kNone}};
  job.inputs = {input};
  FunctionEffects effects;
  effects.may = kReadsArguments | kUnwinds | kFrees;
  effects.neverReturns = true;
  effects.parameters = {0, kParamMayRead | kParamMayCompare};
  effects.variables = {{kNone, "table", kReads | kTakesAddress}};
  ValueFact returned;
  returned.kind = ValueKind::Constant;
  returned.bitWidth = 32;
  returned.value = 17;
  job.functions = {{"f", effects, Coldness::Cold, {}},
                   {"g", {}, Coldness::RunsOnce, {returned}}};
  job.signatures = {
      {"f", {0, {0, 2}, {}, true}},
      {"g",
       {0,
        {},
        {{1, 0, ScalarKind::Float, 64, 3}, {1, 8, ScalarKind::Pointer, 0, 3}},
        false}}};
  job.variables = {{"table", 40, 3, true, false}, {"sink", 4, 2, false, true}};
  job.leaders = {{"b", 6}, {"e", 0}};
  job.structors = {{101, "f", false}, {65535, "g", true}};
  job.weight = ~0ull;
  job.memoryBytes = 1ull << 33;
  return job;
}

TEST(LtransJob, RoundTrips) {
  for (const LtransJob &job : {fullJob(), LtransJob()}) {
    std::string text = writeJob(job);
    Expected<LtransJob> read = readJob(text, "j");
    ASSERT_TRUE(static_cast<bool>(read)) << toString(read.takeError());
    EXPECT_EQ(*read, job);
    EXPECT_EQ(writeJob(*read), text);
  }
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
