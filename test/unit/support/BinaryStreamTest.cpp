//===- BinaryStreamTest.cpp - Reading and writing bytes -------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/BinaryStream.h"

#include "test/unit/ErrorChecks.h"

#include <limits>
#include <random>
#include <vector>

using namespace gpulto;
using test::messageOf;

TEST(BinaryStream, FixedWidthsRoundTrip) {
  BinaryWriter writer;
  writer.u8(0xfe);
  writer.u16(0x1234);
  writer.u32(0xdeadbeef);
  writer.u64(0x0123456789abcdef);
  writer.boolean(true);
  writer.string("text");
  writer.digest({7, 9});
  EXPECT_EQ(writer.str().substr(1, 2), llvm::StringRef("\x34\x12", 2));
  BinaryReader reader(writer.str());
  EXPECT_EQ(reader.u8(), 0xfe);
  EXPECT_EQ(reader.u16(), 0x1234);
  EXPECT_EQ(reader.u32(), 0xdeadbeefu);
  EXPECT_EQ(reader.u64(), 0x0123456789abcdefull);
  EXPECT_TRUE(reader.boolean());
  EXPECT_EQ(reader.string(), "text");
  EXPECT_EQ(reader.digest(), (Digest{7, 9}));
  EXPECT_OK(reader.finish());
}

TEST(BinaryStream, VarintsRoundTrip) {
  std::vector<uint64_t> values = {0, 1, 127, 128, 16383, 16384};
  for (unsigned bit = 0; bit < 64; ++bit)
    for (uint64_t delta : {0, 1})
      values.push_back((1ull << bit) - delta);
  values.push_back(~0ull);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i)
    values.push_back(random() >> (random() % 64));
  BinaryWriter writer;
  for (uint64_t value : values) {
    writer.uleb(value);
    writer.sleb(static_cast<int64_t>(value));
    writer.sleb(~static_cast<int64_t>(value));
  }
  BinaryReader reader(writer.str());
  for (uint64_t value : values) {
    EXPECT_EQ(reader.uleb(), value);
    EXPECT_EQ(reader.sleb(), static_cast<int64_t>(value));
    EXPECT_EQ(reader.sleb(), ~static_cast<int64_t>(value));
  }
  EXPECT_OK(reader.finish());
}

TEST(BinaryStream, OverlongVarintsFail) {
  std::string ten(9, '\xff');
  EXPECT_EQ(BinaryReader(ten + "\x01").uleb(), ~0ull);
  std::string large = ten + "\x02";
  BinaryReader tooLarge(large);
  EXPECT_EQ(tooLarge.uleb(), 0u);
  EXPECT_EQ(messageOf(tooLarge.takeError()),
            "(+0x9): number does not fit 64 bits");
  std::string eleven = std::string(10, '\x80') + '\0';
  BinaryReader tooLong(eleven);
  tooLong.uleb();
  EXPECT_TRUE(tooLong.failed());
  std::string signedBad = ten + "\x3f";
  BinaryReader badSigned(signedBad);
  badSigned.sleb();
  EXPECT_TRUE(badSigned.failed());
  std::string unfinished(3, '\xff');
  BinaryReader cut(unfinished);
  cut.uleb();
  EXPECT_TRUE(cut.failed());
}

TEST(BinaryStream, FirstFailureSticks) {
  BinaryReader reader("abc", InputLocation("x.o", "", ".s").at(0x10));
  EXPECT_EQ(reader.u8(), 'a');
  EXPECT_EQ(reader.u32(), 0u);
  EXPECT_TRUE(reader.atEnd());
  EXPECT_EQ(reader.u8(), 0u);
  EXPECT_EQ(reader.bytes(1), "");
  EXPECT_EQ(reader.uleb(), 0u);
  reader.fail("later");
  reader.seek(0);
  EXPECT_EQ(reader.u8(), 0u);
  EXPECT_EQ(messageOf(reader.takeError()),
            "x.o:(.s+0x11): truncated: 4 bytes expected, 2 left");
  EXPECT_EQ(messageOf(reader.finish()),
            "x.o:(.s+0x11): truncated: 4 bytes expected, 2 left");
}

TEST(BinaryStream, HugeSizesDoNotOverflow) {
  BinaryReader reader("abcdef");
  reader.u8();
  EXPECT_EQ(reader.bytes(std::numeric_limits<uint64_t>::max()), "");
  EXPECT_TRUE(reader.failed());
  BinaryReader other("abcdef");
  other.skip(std::numeric_limits<uint64_t>::max() - 2);
  EXPECT_TRUE(other.failed());
}

TEST(BinaryStream, CountsAreBoundedByTheInput) {
  BinaryWriter writer;
  writer.uleb(3);
  writer.zeros(12);
  BinaryReader fits(writer.str());
  EXPECT_EQ(fits.count(4), 3u);
  BinaryReader tooMany(writer.str());
  EXPECT_EQ(tooMany.count(5), 0u);
  EXPECT_EQ(messageOf(tooMany.takeError()),
            "(+0x1): count 3 of entries of at least 5 bytes, but 12 bytes "
            "left");
  BinaryReader overflow("");
  EXPECT_EQ(overflow.checkCount(1ull << 62, 8), 0u);
  EXPECT_TRUE(overflow.failed());
}

TEST(BinaryStream, EnumeratorsAndIndicesAreChecked) {
  enum class Color : uint8_t { Red, Green, Blue };
  BinaryWriter writer;
  writer.enumerator(Color::Blue);
  writer.uleb(3);
  BinaryReader reader(writer.str());
  EXPECT_EQ(reader.enumerator(Color::Blue), Color::Blue);
  EXPECT_EQ(reader.enumerator(Color::Blue), Color::Red);
  EXPECT_TRUE(reader.failed());
  BinaryReader index("\x04\x05");
  EXPECT_EQ(index.index(5, "symbol"), 4u);
  EXPECT_EQ(index.index(5, "symbol"), 0u);
  EXPECT_EQ(messageOf(index.takeError()),
            "(+0x2): symbol 5 out of range, there are 5");
}

TEST(BinaryStream, SubReadersKeepTheirPlace) {
  BinaryReader reader("abcdef", InputLocation("f").at(100));
  reader.skip(2);
  BinaryReader sub = reader.sub(3);
  EXPECT_EQ(sub.u8(), 'c');
  sub.u32();
  EXPECT_EQ(messageOf(sub.takeError()),
            "f:(+0x67): truncated: 4 bytes expected, 2 left");
  EXPECT_EQ(reader.u8(), 'f');
  BinaryReader missing = reader.sub(1);
  EXPECT_TRUE(missing.failed());
  EXPECT_TRUE(reader.failed());
}

TEST(BinaryStream, AlignmentAndSeeking) {
  BinaryWriter writer;
  writer.u8(1);
  writer.alignTo(8);
  writer.u8(2);
  EXPECT_EQ(writer.size(), 9u);
  BinaryReader reader(writer.str());
  reader.u8();
  reader.alignTo(8);
  EXPECT_EQ(reader.u8(), 2);
  reader.seek(0);
  EXPECT_EQ(reader.u8(), 1);
  reader.seek(9);
  EXPECT_TRUE(reader.atEnd());
  EXPECT_OK(reader.takeError());
  reader.seek(10);
  EXPECT_TRUE(reader.failed());
  BinaryReader dirty(llvm::StringRef("\1\0\1\0\1", 5));
  dirty.u8();
  dirty.alignTo(4);
  EXPECT_TRUE(dirty.failed());
}

TEST(BinaryStream, LeftOverBytesAreAnError) {
  BinaryReader reader("ab");
  reader.u8();
  EXPECT_EQ(messageOf(reader.finish()), "(+0x1): 1 bytes left over");
}

TEST(BinaryStream, PatchesWhatWasWritten) {
  BinaryWriter writer;
  writer.u32(0);
  writer.u64(0);
  writer.digest({});
  writer.patchU32(0, 0x11223344);
  writer.patchU64(4, 42);
  writer.patchDigest(12, {1, 2});
  BinaryReader reader(writer.str());
  EXPECT_EQ(reader.u32(), 0x11223344u);
  EXPECT_EQ(reader.u64(), 42u);
  EXPECT_EQ(reader.digest(), (Digest{1, 2}));
}

TEST(BinaryStream, BooleansAreZeroOrOne) {
  BinaryReader reader(llvm::StringRef("\0\1\2", 3));
  EXPECT_FALSE(reader.boolean());
  EXPECT_TRUE(reader.boolean());
  reader.boolean();
  EXPECT_TRUE(reader.failed());
}
