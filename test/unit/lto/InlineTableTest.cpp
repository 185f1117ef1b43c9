//===- InlineTableTest.cpp - The table of inlining ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/InlineTable.h"

#include "gtest/gtest.h"
#include "test/unit/ErrorChecks.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

InlineTable sample() {
  InlineTable table;
  table.counts[static_cast<size_t>(InlineVerdict::Inlined)] = 2;
  table.counts[static_cast<size_t>(InlineVerdict::Last)] = 1;
  InlineOutcome small{kNone, kNone, {7, 3}, InlineVerdict::Inlined};
  small.isOnlyUse = true;
  small.growth = -12;
  small.saved = 1ull << 40;
  small.allowed = 120;
  InlineOutcome recursive = small;
  recursive.isOnlyUse = false;
  recursive.isForced = true;
  recursive.copies = 7;
  recursive.depth = 3;
  InlineOutcome never{kNone, kNone, {}, InlineVerdict::OtherOptions};
  table.calls = {{"main", "_Z1fv", "a.cpp", small},
                 {"_Z1gv", "_Z1gv", "b.cpp", recursive},
                 {"main", "_Z1gv", "a.cpp", never}};
  return table;
}

TEST(InlineTable, ReadsWhatItWrote) {
  for (const InlineTable &table : {sample(), InlineTable()}) {
    auto read = decodeInlineTable(encodeInlineTable(table), InputLocation("p"));
    ASSERT_OK(read.takeError());
    EXPECT_EQ(*read, table);
  }
}

TEST(InlineTable, RefusesDamage) {
  auto messageOf = [](llvm::StringRef bytes) {
    return test::messageOf(
        decodeInlineTable(bytes, InputLocation("p")).takeError());
  };
  std::string bytes = encodeInlineTable(sample());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(messageOf(llvm::StringRef(bytes).take_front(size)), "success")
        << size;
  EXPECT_NE(messageOf(bytes + "x"), "success");
  std::string version = bytes;
  version[3] = '9';
  EXPECT_NE(messageOf(version).find("another version"), std::string::npos);
}

TEST(InlineTable, OnlyCountsWhereCallsAreTooMany) {
  TestProgram program;
  ModuleBuilder module;
  module.define("f", kResolved | kPrevailing, {});
  program.summary.addModule(module.take(0));
  ASSERT_FALSE(program.finish());
  std::vector<InlineOutcome> outcomes(
      3, InlineOutcome{0, 0, {1}, InlineVerdict::TooLarge});
  for (bool isFew : {true, false}) {
    ASSERT_FALSE(program.params.set(isFew ? "inlineTableCalls=3"
                                          : "inlineTableCalls=2"));
    InlineTable table = makeInlineTable(*program.context, outcomes);
    EXPECT_EQ(table.callCount(), 3u);
    EXPECT_EQ(table.calls.size(), isFew ? 3u : 0u);
    if (isFew) {
      EXPECT_EQ(table.calls.front().callee, "f");
    }
  }
}

} // namespace
