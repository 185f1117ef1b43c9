//===- LtransReportTest.cpp - What a job has to say -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/LtransReport.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lto/job/JobPhases.h"
#include "support/Subprocess.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace gpulto;
using namespace llvm;
using testing::HasSubstr;

namespace {
class LtransReportTest : public testing::Test {
protected:
  void SetUp() override {
    Expected<TempDir> made = TempDir::create("report-test");
    ASSERT_TRUE(static_cast<bool>(made));
    directory = std::move(*made);
    path = directory.file("0.report");
  }
  void write(const LtransReport &report) {
    Error error = writeReport(report, path);
    EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
  }
  std::string readError() {
    Expected<LtransReport> report = readReport(path);
    if (!report)
      return toString(report.takeError());
    ADD_FAILURE() << "accepted";
    return "";
  }
  static LtransReport full() {
    LtransReport report;
    Remark remark{RemarkKind::Missed, "gpulto-pass",          "Name", "f\xff",
                  {"a.cu", 7, 3},     InputLocation("lib.a"), "text"};
    remark.input.member = "b.o";
    report.remarks = {remark, Remark()};
    report.warnings = {{"one", true}, {""}};
    report.output = {"line"};
    report.mishaps = {"a", "b"};
    report.counters = {{"a", 1}, {"b", ~0ull}};
    return report;
  }

  TempDir directory;
  std::string path;
};
} // namespace

TEST_F(LtransReportTest, RoundTrips) {
  write(full());
  Expected<LtransReport> read = readReport(path);
  ASSERT_TRUE(static_cast<bool>(read)) << toString(read.takeError());
  ASSERT_EQ(read->remarks.size(), 2u);
  const Remark &remark = read->remarks[0];
  EXPECT_EQ(remark.kind, RemarkKind::Missed);
  EXPECT_EQ(remark.pass, "gpulto-pass");
  EXPECT_EQ(remark.name, "Name");
  EXPECT_EQ(remark.function, "f\xff");
  EXPECT_EQ(remark.where.file, "a.cu");
  EXPECT_EQ(remark.where.line, 7u);
  EXPECT_EQ(remark.where.column, 3u);
  EXPECT_EQ(remark.input.str(), "lib.a(b.o)");
  EXPECT_EQ(remark.text, "text");
  EXPECT_EQ(read->warnings, full().warnings);
  EXPECT_EQ(read->output, full().output);
  EXPECT_EQ(read->mishaps, full().mishaps);
  EXPECT_EQ(read->counters, full().counters);
}

TEST_F(LtransReportTest, AnEmptyOneIsNoFile) {
  write(full());
  write({});
  EXPECT_FALSE(sys::fs::exists(path));
  Expected<LtransReport> read = readReport(path);
  ASSERT_TRUE(static_cast<bool>(read)) << toString(read.takeError());
  EXPECT_TRUE(read->empty());
}

TEST_F(LtransReportTest, DamageIsAnErrorWithItsPlace) {
  write(full());
  auto file = MemoryBuffer::getFile(path);
  ASSERT_TRUE(static_cast<bool>(file));
  std::string bytes = (*file)->getBuffer().str();
  auto rewrite = [&](StringRef contents) {
    Error error = writeFileAtomically(path, contents);
    EXPECT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
  };
  for (size_t size = 0; size < bytes.size(); ++size) {
    rewrite(StringRef(bytes).take_front(size));
    EXPECT_THAT(readError(), HasSubstr("0.report:(+0x"));
  }
  rewrite(bytes + "x");
  EXPECT_THAT(readError(), HasSubstr("0.report:(+0x"));
  bytes[3] = '9';
  rewrite(bytes);
  EXPECT_THAT(readError(), HasSubstr("another version"));
}

TEST(JobPhases, HaveTheTimeUntilTheNext) {
  std::string text = "\1"
                     "100000 reading\nwarning: x\nhalf"
                     "\1"
                     "350000 running ptxas\n\nrest";
  std::vector<JobPhase> phases = takePhases(text, 1.0);
  ASSERT_EQ(phases.size(), 2u);
  EXPECT_EQ(phases[0].name, "reading");
  EXPECT_DOUBLE_EQ(phases[0].cpuSeconds, 0.25);
  EXPECT_EQ(phases[1].name, "running ptxas");
  EXPECT_DOUBLE_EQ(phases[1].cpuSeconds, 0.65);
  EXPECT_EQ(text, "warning: x\nhalf\nrest");
}

TEST(JobPhases, MayBeMissing) {
  std::string text = "only a message\n";
  EXPECT_TRUE(takePhases(text, 1.0).empty());
  EXPECT_EQ(text, "only a message\n");
}

TEST(JobMemory, IsTakenOutOfTheText) {
  std::string text = "a warning\n\2"
                     "4096\nanother\n";
  EXPECT_EQ(takeMemory(text), std::optional<uint64_t>(4096));
  EXPECT_EQ(text, "a warning\nanother\n");
  EXPECT_EQ(takeMemory(text), std::nullopt);
  text = "no newline\2"
         "7";
  EXPECT_EQ(takeMemory(text), std::optional<uint64_t>(7));
  EXPECT_EQ(text, "no newline");
  text = "damaged\2"
         "x\n";
  EXPECT_EQ(takeMemory(text), std::nullopt);
  EXPECT_EQ(text, "damaged");
}

TEST(JobMemory, CountsWhatIsTaken) {
  // No child has run here that was larger than this process.
  uint64_t peak = ownPeakBytes();
  EXPECT_GT(peak, 0u);
  EXPECT_LE(takenMemoryBytes(peak, /*expectedBytes=*/0), ownPeakBytes() - peak);
  EXPECT_GE(takenMemoryBytes(0, 0), peak);
  EXPECT_LE(takenMemoryBytes(UINT64_MAX, 10), 10u);
}
