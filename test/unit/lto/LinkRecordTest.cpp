//===- LinkRecordTest.cpp - What the last link redid ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/cache/LinkRecord.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace gpulto;
using namespace llvm;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

LtransJob someJob() {
  LtransJob job;
  JobInput input;
  input.path = "a.o";
  input.digest = digestOf("a");
  input.tag = "tag";
  for (const char *name : {"f", "g"})
    input.symbols.push_back({name,
                             digestOf(name),
                             JobRole::Define,
                             FinalLinkage::Internal,
                             {},
                             2,
                             "",
                             {}});
  job.inputs = {input};
  job.functions = {{"h", {FunctionEffects()}}};
  return job;
}

const Digest kOptimizer = digestOf("optimizer");

JobRecord recordOf(const LtransJob &job, const Digest &optimizer = kOptimizer) {
  JobRecord record;
  record.title = "host: a.o";
  record.parts = partsOf(job, optimizer);
  return record;
}

/// Returns the reasons when \p change came after a link of someJob.
std::vector<std::string> reasonsFor(void (*change)(LtransJob &)) {
  LinkRecord before;
  before.jobs = {recordOf(LtransJob()), recordOf(someJob())};
  LtransJob job = someJob();
  change(job);
  return whyRedone(recordOf(job), &before);
}

TEST(LinkRecord, NamesWhatHasChanged) {
  EXPECT_THAT(reasonsFor([](LtransJob &job) {
                job.inputs[0].symbols[1].contents = digestOf("new");
                job.inputs[0].digest = digestOf("new");
              }),
              ElementsAre("body of 'g' has changed (a.o)"));
  EXPECT_THAT(reasonsFor([](LtransJob &job) {
                job.inputs[0].symbols[0].linkage = FinalLinkage::Hidden;
              }),
              ElementsAre("decision on 'f' has changed (a.o)"));
  EXPECT_THAT(reasonsFor([](LtransJob &job) {
                job.functions[0].decided.effects->neverReturns = true;
              }),
              ElementsAre("what is known of 'h' has changed"));
  EXPECT_THAT(reasonsFor([](LtransJob &job) { job.host.cpu = "znver3"; }),
              ElementsAre("option cpu has changed"));
  EXPECT_THAT(reasonsFor([](LtransJob &job) { job.llvmOptions = {"-x"}; }),
              ElementsAre("option -mllvm has changed"));
  EXPECT_THAT(reasonsFor([](LtransJob &job) { job.remarks.kept = "inline"; }),
              ElementsAre("option remarks has changed"));
  EXPECT_THAT(
      reasonsFor([](LtransJob &job) { job.structors = {{1, "f", false}}; }),
      ElementsAre("list of constructors and destructors has changed"));
  EXPECT_THAT(
      reasonsFor([](LtransJob &job) { job.inputs[0].symbols.pop_back(); }),
      ElementsAre("body of 'g' is gone (a.o)",
                  "decision on 'g' is gone (a.o)"));
}

TEST(LinkRecord, InputsCountWhereNothingElseDoes) {
  EXPECT_THAT(
      reasonsFor([](LtransJob &job) { job.inputs[0].digest = digestOf("b"); }),
      ElementsAre("something that belongs to no body has changed (a.o)"));
  EXPECT_THAT(reasonsFor([](LtransJob &) {}),
              ElementsAre(HasSubstr("not in the cache")));
}

TEST(LinkRecord, NamesToolsAndMissingLinks) {
  LinkRecord before;
  before.jobs = {recordOf(someJob())};
  JobRecord now = recordOf(someJob(), digestOf("newer"));
  EXPECT_THAT(whyRedone(now, &before),
              ElementsAre("gpulto, LLVM or a library that they use has "
                          "changed"));
  EXPECT_THAT(whyRedone(now, nullptr),
              ElementsAre("no link to this output is known to the cache"));
  EXPECT_THAT(whyRedone(now, &std::as_const(before = LinkRecord())),
              ElementsAre("the last link had no unit like it"));
}

TEST(LinkRecord, RoundTripsAndFindsDamage) {
  LinkRecord record;
  record.output = "app";
  record.jobs = {recordOf(someJob()), JobRecord()};
  record.jobs[0].state = CacheState::HitBodies;
  record.jobs[1].reasons = {"because"};
  std::string bytes = encodeRecord(record);
  Expected<LinkRecord> read = decodeRecord(bytes, "r");
  ASSERT_TRUE(static_cast<bool>(read)) << toString(read.takeError());
  EXPECT_EQ(*read, record);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] ^= 1;
    for (StringRef text : {StringRef(bad), StringRef(bytes).take_front(i)})
      EXPECT_THAT(toString(decodeRecord(text, "r").takeError()),
                  HasSubstr("r: damaged"));
  }
}

} // namespace
