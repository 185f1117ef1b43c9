//===- FoldTableTest.cpp - The table of folds -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/FoldTable.h"

#include "gtest/gtest.h"
#include "test/unit/ErrorChecks.h"

using namespace gpulto;

namespace {

FoldTable sample() {
  return {{{"",
            {{"_Z1fIiEvv", FoldState::Leads, 12, 50, "", 70000},
             {"_Z1fIjEvv", FoldState::Folded, 12, 50, "", 0},
             {"g", FoldState::Jumps, 12, 51, "its address is taken"}}},
           {"sm_90",
            {{"k", FoldState::Leads, 1u << 31, 0, ""},
             {"l", FoldState::Stays, 3, 4, "why"}}}}};
}

TEST(FoldTable, ReadsWhatItWrote) {
  for (const FoldTable &table : {sample(), FoldTable()}) {
    auto read = decodeFoldTable(encodeFoldTable(table), InputLocation("p"));
    ASSERT_OK(read.takeError());
    EXPECT_EQ(*read, table);
  }
}

TEST(FoldTable, RefusesDamage) {
  std::string bytes = encodeFoldTable(sample());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(test::messageOf(
                  decodeFoldTable(bytes.substr(0, size), InputLocation("p"))
                      .takeError()),
              "success")
        << size;
  EXPECT_NE(test::messageOf(
                decodeFoldTable(bytes + "x", InputLocation("p")).takeError()),
            "success");
  std::string version = bytes;
  version[3] = '9';
  std::string message =
      test::messageOf(decodeFoldTable(version, InputLocation("p")).takeError());
  EXPECT_NE(message.find("another version"), std::string::npos) << message;
}

} // namespace
