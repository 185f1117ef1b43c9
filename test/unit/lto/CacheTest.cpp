//===- CacheTest.cpp - Keys and entries of the cache ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/cache/Cache.h"

#include "gtest/gtest.h"
#include "lto/check/PlainBuild.h"
#include "lto/job/JobResults.h"
#include "lto/job/LtransReport.h"
#include "support/Subprocess.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <functional>

using namespace gpulto;
using namespace llvm;

namespace {

LtransJob someJob() {
  LtransJob job;
  job.side = Side::Device;
  job.arch = "sm_90";
  job.device.ptxas = "/cuda/bin/ptxas";
  job.device.ptxasDigest = digestOf("ptxas");
  job.device.wantCubin = true;
  JobInput input;
  input.path = "a.o";
  input.digest = digestOf("a");
  input.tag = "tag";
  input.symbols = {{"f",
                    digestOf("f"),
                    JobRole::Define,
                    FinalLinkage::Internal,
                    {},
                    2,
                    "",
                    {},
                    {}}};
  job.inputs = {input};
  return job;
}

const Digest kOptimizer = digestOf("optimizer");

/// Returns whether \p change changes the key by inputs, and that by bodies.
std::pair<bool, bool> changes(std::function<void(LtransJob &)> change) {
  LtransJob job = someJob(), other = someJob();
  change(other);
  Digest bodies = digestOf("bodies");
  return {keyOfInputs(job, kOptimizer) != keyOfInputs(other, kOptimizer),
          keyOfBodies(job, bodies, kOptimizer) !=
              keyOfBodies(other, bodies, kOptimizer)};
}

constexpr std::pair kNothing(false, false), kInputs(true, false),
    kBoth(true, true);

TEST(CacheKey, WhereThingsAreDoesNotCount) {
  EXPECT_EQ(changes([](LtransJob &job) { job.index = 9; }), kNothing);
  EXPECT_EQ(changes([](LtransJob &job) { job.weight = 9; }), kNothing);
  EXPECT_EQ(changes([](LtransJob &job) { job.memoryBytes = 9; }), kNothing);
  EXPECT_EQ(changes([](LtransJob &job) {
              JobInput &input = job.inputs[0];
              input.path = "/b/lib.a";
              input.member = "a.o";
              input.offset = 8;
              input.storedBytes = 9;
              input.compressed = true;
            }),
            kNothing);
  EXPECT_EQ(changes([](LtransJob &job) { job.device.ptxas = "/other/ptxas"; }),
            kNothing);
  EXPECT_EQ(changes([](LtransJob &job) { job.device.tool.timeoutSeconds = 1; }),
            kNothing);
}

TEST(CacheKey, InputsCountForOneKeyAndBodiesForTheOther) {
  EXPECT_EQ(changes([](LtransJob &job) { job.inputs[0].digest = {1, 2}; }),
            kInputs);
  LtransJob job = someJob();
  EXPECT_NE(keyOfBodies(job, digestOf("x"), kOptimizer),
            keyOfBodies(job, digestOf("y"), kOptimizer));
}

TEST(CacheKey, DecisionsOptionsAndToolsCount) {
  EXPECT_EQ(changes([](LtransJob &job) { job.inputs[0].tag = "other"; }),
            kBoth);
  EXPECT_EQ(changes([](LtransJob &job) {
              job.inputs[0].symbols[0].linkage = FinalLinkage::Hidden;
            }),
            kBoth);
  EXPECT_EQ(changes([](LtransJob &job) {
              job.inputs[0].symbols[0].bodies.emplace_back();
            }),
            kBoth);
  EXPECT_EQ(changes([](LtransJob &job) { job.optLevel = 3; }), kBoth);
  EXPECT_EQ(changes([](LtransJob &job) { job.host.cpu = "znver3"; }), kBoth);
  EXPECT_EQ(changes([](LtransJob &job) { job.arch = "sm_80"; }), kBoth);
  EXPECT_EQ(changes([](LtransJob &job) { job.device.ptxas.clear(); }), kBoth);
  EXPECT_EQ(changes([](LtransJob &job) { job.device.ptxasDigest = {3, 4}; }),
            kBoth);
  EXPECT_EQ(changes([](LtransJob &job) {
              job.device.ptxasArguments = {"-maxrregcount=32"};
            }),
            kBoth);
  EXPECT_EQ(changes([](LtransJob &job) { job.structors = {{1, "f", false}}; }),
            kBoth);
}

TEST(CacheKey, ProgramsThatRunCount) {
  LtransJob job = someJob();
  Digest other = digestOf("newer");
  EXPECT_NE(keyOfInputs(job, kOptimizer), keyOfInputs(job, other));
  EXPECT_NE(keyOfBodies(job, {}, kOptimizer), keyOfBodies(job, {}, other));
  EXPECT_EQ(changes([](LtransJob &job) { job.llvmOptions = {"-x"}; }), kBoth);
  EXPECT_EQ(changes([](LtransJob &job) { job.remarks.missed = "x"; }), kBoth);
}

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    Expected<TempDir> made = TempDir::create("cache-test");
    ASSERT_TRUE(static_cast<bool>(made));
    directory = std::move(*made);
    Expected<Cache> opened =
        Cache::open({directory.file("made/here"), {}}, kOptimizer);
    ASSERT_TRUE(static_cast<bool>(opened));
    cache.emplace(std::move(*opened));
    job = someJob();
    paths = resultPaths(job, directory.file("in"));
    write(paths.ptx, ".version 8.0");
    write(paths.cubin, std::string(5000, 'c'));
  }

  static void write(const std::string &path, StringRef text) {
    ASSERT_FALSE(static_cast<bool>(writeFileAtomically(path, text)));
  }
  static std::string read(const std::string &path) {
    auto file = MemoryBuffer::getFile(path);
    return file ? (*file)->getBuffer().str() : "none";
  }
  void store() {
    Error error = cache->store(inputs, bodies, job, directory.file("in"));
    ASSERT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
  }
  CacheFind find(const Digest &key) {
    Expected<CacheFind> found = cache->find(key, job, directory.file("out"));
    EXPECT_TRUE(static_cast<bool>(found));
    return found ? *found : CacheFind::Nothing;
  }

  TempDir directory;
  std::optional<Cache> cache;
  LtransJob job;
  LtransResultPaths paths;
  Digest inputs = digestOf("i"), bodies = digestOf("b");
};

TEST_F(CacheTest, ResultsAreFoundUnderBothKeys) {
  EXPECT_EQ(find(inputs), CacheFind::Nothing);
  store();
  for (const Digest &key : {inputs, bodies}) {
    EXPECT_EQ(find(key), CacheFind::Results);
    LtransResultPaths out = resultPaths(job, directory.file("out"));
    EXPECT_EQ(read(out.ptx), read(paths.ptx));
    EXPECT_EQ(read(out.cubin), read(paths.cubin));
    EXPECT_EQ(read(out.report), "none");
    (void)sys::fs::remove(out.ptx);
  }
}

TEST_F(CacheTest, RemarksNameTheInputsOfTheLinkThatReadsThem) {
  LtransReport report;
  report.counters["kernels-checked"] = 3;
  report.remarks.emplace_back();
  report.remarks.back().input = InputLocation("a.o");
  ASSERT_FALSE(static_cast<bool>(writeReport(report, paths.report)));
  store();
  job.inputs[0].path = "/elsewhere/lib.a";
  job.inputs[0].member = "a.o";
  EXPECT_EQ(find(inputs), CacheFind::Results);
  Expected<LtransReport> found =
      readReport(resultPaths(job, directory.file("out")).report);
  ASSERT_TRUE(static_cast<bool>(found));
  EXPECT_EQ(found->counters, report.counters);
  EXPECT_EQ(found->remarks[0].input, InputLocation("/elsewhere/lib.a", "a.o"));
}

TEST_F(CacheTest, WarningsAreKept) {
  LtransReport report;
  report.warnings = {{"careful", true}};
  report.output = {"used 8 registers"};
  ASSERT_FALSE(static_cast<bool>(writeReport(report, paths.report)));
  store();
  EXPECT_EQ(find(bodies), CacheFind::Results);
  Expected<LtransReport> found =
      readReport(resultPaths(job, directory.file("out")).report);
  ASSERT_TRUE(static_cast<bool>(found));
  EXPECT_EQ(found->warnings, report.warnings);
  EXPECT_EQ(found->output, report.output);
}

TEST_F(CacheTest, WhatWentWrongIsNotKept) {
  LtransReport report;
  report.mishaps = {"careful"};
  ASSERT_FALSE(static_cast<bool>(writeReport(report, paths.report)));
  store();
  EXPECT_EQ(find(bodies), CacheFind::Nothing);
}

TEST_F(CacheTest, EveryDamageIsFoundAndRemoved) {
  for (const Digest &key : {bodies, inputs}) {
    store();
    std::string path = cache->pathOf(key), good = read(path);
    for (size_t i = 0; i < std::min<size_t>(good.size(), 300); ++i) {
      std::string bad = good;
      bad[i] ^= 1;
      write(path, bad);
      EXPECT_EQ(find(key), CacheFind::Damaged) << i;
      EXPECT_FALSE(sys::fs::exists(path));
      write(path, good.substr(0, i));
      EXPECT_EQ(find(key), CacheFind::Damaged) << i;
    }
    write(path, good + "x");
    EXPECT_EQ(find(key), CacheFind::Damaged);
    write(path, good);
    EXPECT_EQ(find(key), CacheFind::Results);
  }
}

TEST_F(CacheTest, AnEntryOfAnotherKeyIsDamaged) {
  store();
  write(cache->pathOf(digestOf("other")), read(cache->pathOf(bodies)));
  EXPECT_EQ(find(digestOf("other")), CacheFind::Damaged);
}

TEST_F(CacheTest, ReferencesEndAfterOneStep) {
  Digest third = digestOf("third");
  ASSERT_FALSE(static_cast<bool>(cache->refer(inputs, bodies)));
  EXPECT_EQ(find(inputs), CacheFind::Nothing);
  ASSERT_FALSE(static_cast<bool>(cache->refer(bodies, third)));
  ASSERT_FALSE(static_cast<bool>(cache->refer(third, bodies)));
  EXPECT_EQ(find(inputs), CacheFind::Damaged);
}

TEST_F(CacheTest, BytesAreKeptApartFromResults) {
  Digest key = digestOf("bytes");
  EXPECT_EQ(cache->findBytes(key), std::nullopt);
  for (const char *text : {"some", ""}) {
    ASSERT_FALSE(static_cast<bool>(cache->storeBytes(key, text)));
    EXPECT_EQ(cache->findBytes(key), text);
  }
  EXPECT_EQ(find(key), CacheFind::Damaged);
  store();
  EXPECT_EQ(cache->findBytes(bodies), std::nullopt);
  EXPECT_EQ(find(bodies), CacheFind::Nothing); // it was taken for damaged
}

TEST(PlainBuild, IsKept) {
  DeviceVariant variant;
  variant.ptx = "text";
  variant.lasting = {"f", "table"};
  std::string bytes = encodePlainBuild(variant);
  std::optional<DeviceVariant> read = decodePlainBuild(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ptx, variant.ptx);
  EXPECT_EQ(read->lasting, variant.lasting);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decodePlainBuild(StringRef(bytes).take_front(size)));
  EXPECT_FALSE(decodePlainBuild(bytes + "x"));
}

TEST(PlainBuild, FiguresAreKeptForTheKernelsThatWereMeasuredTogether) {
  KernelUsages usages;
  usages["k"] = {255, 1, 2, 3, 4, 5000000000};
  usages["l"] = {};
  std::string bytes = encodeFigures(usages);
  EXPECT_EQ(decodeFigures(bytes), usages);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decodeFigures(StringRef(bytes).take_front(size)));
  EXPECT_FALSE(decodeFigures(bytes + "x"));
  Digest build = digestOf("build");
  EXPECT_EQ(keyOfFigures(build, {"k"}), keyOfFigures(build, {"k"}));
  EXPECT_NE(keyOfFigures(build, {"k"}), keyOfFigures(build, {"k", "l"}));
  EXPECT_NE(keyOfFigures(build, {"k"}), keyOfFigures(digestOf("other"), {"k"}));
  EXPECT_NE(keyOfFigures(build, {}), build);
}

} // namespace
