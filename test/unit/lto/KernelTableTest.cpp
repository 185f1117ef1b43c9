//===- KernelTableTest.cpp - What a link says of each kernel --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/KernelTable.h"

#include "gtest/gtest.h"
#include "test/unit/ErrorChecks.h"

using namespace gpulto;
using test::messageOf;

static Remark makeRemark(RemarkKind kind, llvm::StringRef kernel,
                         llvm::StringRef text) {
  Remark remark;
  remark.kind = kind;
  remark.pass = "gpulto-launches";
  remark.name = "Name";
  remark.function = kernel.str();
  remark.where = {"a.cu", 7, 0};
  remark.text = text.str();
  return remark;
}

TEST(KernelTable, GathersByKernelAndReadsWhatItWrote) {
  KernelTable table =
      makeKernelTable({makeRemark(RemarkKind::Passed, "b", "n is 2"),
                       makeRemark(RemarkKind::Missed, "a", "unknown"),
                       makeRemark(RemarkKind::Passed, "b", "n is 2"),
                       makeRemark(RemarkKind::Analysis, "", "of a partition")});
  ASSERT_EQ(table.kernels.size(), 2u);
  EXPECT_EQ(table.kernels[0].kernel, "a");
  EXPECT_EQ(table.kernels[1].kernel, "b");
  EXPECT_EQ(table.kernels[1].line, 7u);
  EXPECT_EQ(table.kernels[1].facts.size(), 1u);
  ASSERT_VALUE(
      read, decodeKernelTable(encodeKernelTable(table), InputLocation("app")));
  EXPECT_EQ(read, table);
}

TEST(KernelTable, RefusesWhatIsDamaged) {
  std::string bytes = encodeKernelTable(
      makeKernelTable({makeRemark(RemarkKind::Passed, "b", "n is 2")}));
  InputLocation where("app");
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(messageOf(decodeKernelTable(
                  llvm::StringRef(bytes).take_front(size), where)),
              "success");
  bytes[3] = '9';
  EXPECT_NE(messageOf(decodeKernelTable(bytes, where)), "success");
}
