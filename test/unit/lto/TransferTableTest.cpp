//===- TransferTableTest.cpp - The table of copies ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/tables/TransferTable.h"

#include "gtest/gtest.h"
#include "lto/tables/ProgramTable.h"
#include "test/unit/ErrorChecks.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

TransferTable sample() {
  TransferTable table;
  table.rows = {{"main", "cudaMemcpy", "a.cu", 7, 3, TransferVerdict::Redundant,
                 true, "is not made: its target has these bytes already"},
                {"_Z1fv", "cudaMemset", "b.cu", 0, 0, TransferVerdict::Needed,
                 false, "is needed: nothing has made them equal"},
                {"_Z1fv", "cudaMemcpyAsync", "/c/b.cu", 70000, 65535,
                 TransferVerdict::Last, false, "need not be made"}};
  return table;
}

std::string messageOf(llvm::StringRef bytes) {
  return test::messageOf(
      decodeTransferTable(bytes, InputLocation("p")).takeError());
}

TEST(TransferTable, ReadsWhatItWrote) {
  for (const TransferTable &table : {sample(), TransferTable()}) {
    auto read =
        decodeTransferTable(encodeTransferTable(table), InputLocation("p"));
    ASSERT_OK(read.takeError());
    EXPECT_EQ(*read, table);
  }
}

TEST(TransferTable, RefusesDamage) {
  std::string bytes = encodeTransferTable(sample());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(messageOf(llvm::StringRef(bytes).take_front(size)), "success")
        << size;
  EXPECT_NE(messageOf(bytes + "x"), "success");
  std::string version = bytes;
  version[3] = '9';
  EXPECT_NE(messageOf(version).find("another version"), std::string::npos);
}

TEST(TransferTable, RefusesDamagedRows) {
  auto rowsMessage = [](llvm::StringRef rows) {
    InputLocation where("p");
    where.section = ".gpulto.transfers";
    return test::messageOf(decodeTransferRows(rows, where).takeError());
  };
  auto packed = encodeTransferTable(sample());
  auto rows = unpackTable("GTR1", "copies", packed, InputLocation("p"));
  ASSERT_OK(rows.takeError());
  EXPECT_EQ(rowsMessage(*rows), "success");
  for (size_t size = 0; size < rows->size(); ++size)
    EXPECT_NE(rowsMessage(llvm::StringRef(*rows).take_front(size))
                  .find("p:(.gpulto.transfers+0x"),
              std::string::npos)
        << size;
  EXPECT_NE(rowsMessage(*rows + "x"), "success");
  // A count, three strings and two bytes of place are before the verdict.
  size_t verdict = 1 + 5 + 11 + 5 + 2;
  (*rows)[verdict] = static_cast<char>(TransferVerdict::Last) + 1;
  EXPECT_NE(rowsMessage(*rows), "success");
}

TEST(TransferTable, SaysWhetherCopiesWereChanged) {
  for (bool removes : {true, false}) {
    TestProgram program;
    ModuleBuilder module;
    SymbolIndex copy = module.declare("cudaMemcpy_ptds");
    GlobalId f = module.define("f", kResolved | kPrevailing, {copy});
    program.summary.addModule(module.take(0));
    ASSERT_FALSE(program.finish());
    WpaContext &context = *program.context;
    context.options.removesCopies = removes;
    context.decisions.transfers = {
        {f, 0, TransferVerdict::Dead, "nobody reads it"},
        {f, 0, TransferVerdict::Needed, "is needed"}};
    TransferTable table = makeTransferTable(context);
    ASSERT_EQ(table.rows.size(), 2u);
    EXPECT_EQ(table.rows[0].function, "f");
    EXPECT_EQ(table.rows[0].callee, "cudaMemcpy");
    EXPECT_EQ(table.rows[0].isChanged, removes);
    EXPECT_EQ(table.rows[1].isChanged, false);
    EXPECT_EQ(table.rows[1].reason, "is needed");
  }
}

} // namespace
