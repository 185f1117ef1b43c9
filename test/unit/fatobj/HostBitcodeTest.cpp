//===- HostBitcodeTest.cpp - The outer structure of bitcode ---------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/unit/fatobj/Fixture.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/Bitstream/BitstreamWriter.h"

#include <gmock/gmock.h>

using namespace gpulto;
using namespace gpulto::test;

namespace {

class HostBitcodeTest : public HostObjects {
protected:
  std::string bitcode(const char *object) {
    std::string file = readFile(path(object));
    auto bytes = hostBitcodeOf(llvm::MemoryBufferRef(file, object),
                               InputLocation(object));
    EXPECT_TRUE(bool(bytes));
    return bytes ? bytes->str() : messageOf(bytes.takeError());
  }
};

} // namespace

TEST_F(HostBitcodeTest, FindsTheStringTable) {
  std::string bytes = bitcode("a.o");
  ASSERT_VALUE(range, findHostStrtab(bytes, InputLocation("a.o")));
  llvm::StringRef names =
      llvm::StringRef(bytes).substr(range.offset, range.size);
  EXPECT_EQ(names.size(), range.size);
  // LLVM writes the names of globals one after the other, unseparated.
  for (const char *name : {"main", "_Z6hiddeni", "zero", "protectedValue"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(HostBitcodeTest, SplitsConcatenations) {
  std::string a = bitcode("a.o"), b = bitcode("b.o");
  ASSERT_VALUE(one, splitBitcode(a, InputLocation("a.o")));
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0], a);
  std::string joined = a + b + std::string(8, '\0') + a;
  ASSERT_VALUE(three, splitBitcode(joined, InputLocation("r.o")));
  ASSERT_EQ(three.size(), 3u);
  EXPECT_EQ(three[0], a);
  EXPECT_EQ(three[1], b);
  EXPECT_EQ(three[2], a);
}

TEST_F(HostBitcodeTest, DamageIsAnError) {
  std::string a = bitcode("b.o");
  EXPECT_NE(messageOf(findHostStrtab("", InputLocation("x"))), "success");
  EXPECT_EQ(messageOf(findHostStrtab("abcdefgh", InputLocation("x"))),
            "x: no bitcode");
  EXPECT_NE(messageOf(findHostStrtab(a + a, InputLocation("x"))), "success");
  for (size_t size = 0; size < a.size(); ++size) {
    std::unique_ptr<char[]> copy(new char[size]);
    std::copy_n(a.begin(), size, copy.get());
    llvm::StringRef cut(copy.get(), size);
    EXPECT_NE(messageOf(findHostStrtab(cut, InputLocation("x"))), "success")
        << size;
    llvm::consumeError(splitBitcode(cut, InputLocation("x")).takeError());
  }
  for (size_t place = 0; place < a.size(); ++place) {
    std::string damaged = a;
    damaged[place] ^= '\x41';
    auto range = findHostStrtab(damaged, InputLocation("x"));
    if (range) {
      EXPECT_LE(range->offset + range->size, damaged.size());
      continue;
    }
    llvm::consumeError(range.takeError());
  }
}

TEST(HostBitcode, AStringTableIsABlob) {
  llvm::SmallVector<char, 64> bytes;
  llvm::BitstreamWriter writer(bytes);
  writer.Emit('B' | 'C' << 8, 16);
  writer.Emit(0xdec0, 16);
  writer.EnterSubblock(llvm::bitc::STRTAB_BLOCK_ID, 3);
  llvm::SmallVector<unsigned, 1> letters = {'f'};
  writer.EmitRecord(llvm::bitc::STRTAB_BLOB, letters);
  writer.ExitBlock();
  EXPECT_THAT(
      messageOf(findHostStrtab(llvm::StringRef(bytes.data(), bytes.size()),
                               InputLocation("x"))),
      testing::HasSubstr("string table is no blob"));
}
