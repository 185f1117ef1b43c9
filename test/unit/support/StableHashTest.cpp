//===- StableHashTest.cpp - Digests ---------------------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/StableHash.h"

#include "test/unit/ErrorChecks.h"

#include <set>

using namespace gpulto;

static Digest hashOf(std::initializer_list<llvm::StringRef> pieces) {
  StableHasher hasher;
  for (llvm::StringRef piece : pieces)
    hasher.add(piece);
  return hasher.finish();
}

// Digests are in files: a change of these values is a change of format.
TEST(StableHash, ValuesNeverChange) {
  EXPECT_EQ(digestOf(llvm::StringRef("")).hex(),
            "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(digestOf(llvm::StringRef("gpulto")).hex(),
            "325d7e26bc5b0745ac66151bebcb449e");
  EXPECT_EQ(hashOf({"a", "bc"}).hex(), "f4c670064c6e7481c48c840367336b16");
  StableHasher words;
  words.add(1u);
  words.add(int64_t(-1));
  words.add(true);
  EXPECT_EQ(words.finish().hex(), "d647574b11de50fc92faff2fb7724d45");
}

TEST(StableHash, PiecesCarryTheirLength) {
  std::set<std::string> all = {
      hashOf({"ab", "c"}).hex(), hashOf({"a", "bc"}).hex(),
      hashOf({"abc"}).hex(),     hashOf({"abc", ""}).hex(),
      hashOf({}).hex(),          hashOf({""}).hex()};
  EXPECT_EQ(all.size(), 6u);
}

TEST(StableHash, SignedAndUnsignedOfOneValueAgree) {
  StableHasher a, b;
  a.add(int8_t(5));
  b.add(uint64_t(5));
  EXPECT_EQ(a.finish(), b.finish());
}

// Pieces around the block size: each length differs, and a second hasher that
// gets the same pieces agrees.
TEST(StableHash, LongInputs) {
  std::set<std::string> seen;
  for (size_t size : {65519u, 65520u, 65527u, 65528u, 65529u, 65535u, 65536u,
                      65537u, 131064u, 200000u, 1000000u}) {
    std::string text(size, 'x');
    Digest first = hashOf({text, "tail"});
    EXPECT_EQ(first, hashOf({text, "tail"}));
    text[size / 2] = 'y';
    EXPECT_NE(first, hashOf({text, "tail"}));
    EXPECT_NE(first, hashOf({text, "tali"}));
    seen.insert(first.hex());
  }
  EXPECT_EQ(seen.size(), 11u);
}

TEST(StableHash, FinishCanBeAskedInBetween) {
  StableHasher a, b;
  a.add("one");
  (void)a.finish();
  a.add("two");
  b.add("one");
  b.add("two");
  EXPECT_EQ(a.finish(), b.finish());
}

TEST(Digest, HexRoundTrips) {
  Digest digest = digestOf(llvm::StringRef("some text")), back;
  ASSERT_TRUE(Digest::fromHex(digest.hex(), back));
  EXPECT_EQ(digest, back);
  for (const char *bad :
       {"", "0", "0123456789abcdef0123456789abcdeg",
        "0123456789ABCDEF0123456789ABCDEF", "+123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcdef0"})
    EXPECT_FALSE(Digest::fromHex(bad, back)) << bad;
}

TEST(Digest, OrderIsThatOfTheText) {
  Digest small{~0ull, 1}, large{0, 2};
  EXPECT_LT(small, large);
  EXPECT_LT(small.hex(), large.hex());
  EXPECT_TRUE(Digest().isNone());
  EXPECT_FALSE(small.isNone());
}
