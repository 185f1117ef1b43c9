//===- AccessTest.cpp - Rows of access instructions, and taint ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

#include <set>

using namespace gpulto::emu;
using namespace gpulto::emu::test;

namespace {

class AccessTest : public EmuTest {
protected:
  static Options traced() {
    Options o = defaults();
    o.counters = o.accesses = true;
    return o;
  }
  AccessTest() : EmuTest(traced()) {}

  /// The row of a line of the PTX and a space, or nothing.
  std::string row(unsigned line, const std::string &space = "global") {
    std::string all = device->countersJson();
    std::string where = "\"ptx\": \"test.ptx:" + std::to_string(line) + "\"";
    for (size_t at = all.find("\"accesses\": [\n"); at != std::string::npos;) {
      at = all.find("{\"kernel\"", at + 1);
      if (at == std::string::npos)
        break;
      std::string one = all.substr(at, all.find("}}", at) - at);
      if (one.find(where) != std::string::npos &&
          one.find("\"space\": \"" + space + "\"") != std::string::npos)
        return one + "}}";
    }
    return "";
  }

  void expectRow(unsigned line, const std::string &space,
                 const std::vector<std::string> &parts) {
    std::string text = row(line, space);
    for (const std::string &part : parts)
      EXPECT_NE(text.find(part), std::string::npos)
          << part << " of line " << line << "\n"
          << text;
  }

  static constexpr const char *kProlog = R"(
.visible .entry k(.param .u64 p, .param .u64 image) {
  .shared .align 16 .b8 s[4096]; .local .align 16 .b8 l[64]; .reg .pred %c, %d;
  .reg .b64 %p, %q, %w, %v, %m; .reg .b32 %i, %t, %x, %y, %z, %f<4>; .reg .b16 %h;
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mad.wide.u32 %q, %i, 4, %p; ld.param.u64 %m, [image];
)";

  /// The lanes whose %x is tainted behind \p code, which may use %t, a tainted
  /// copy of the lane's number.
  uint32_t taintedLanes(const std::string &code,
                        const std::string &functions = "") {
    make(traced());
    std::string text = functions + kProlog + "  ld.global.u32 %t, [%q];\n" +
                       code + "\n  and.b32 %x, %x, 31;\n" +
                       "  mad.wide.u32 %w, %x, 4, %p;\n";
    unsigned first =
        1 + static_cast<unsigned>(std::count(text.begin(), text.end(), '\n'));
    for (unsigned l = 0; l < 32; ++l)
      text += "setp.eq.u32 %c, %i, " + std::to_string(l) +
              "; @%c ld.global.u32 %z, [%w];\n";
    auto module = load(kHeader + text + "  ret;\n}\n");
    std::vector<uint32_t> numbers(64);
    for (uint32_t k = 0; k < 64; ++k)
      numbers[k] = k % 32;
    Image image;
    image.address = upload(numbers);
    image.width = 32;
    image.rowBytes = 128;
    image.channelBytes = 4;
    image.kind = ChannelKind::Unsigned;
    Status s = launch(*module, "k", blocks(1, 32), upload(numbers),
                      device->addImage(image));
    EXPECT_TRUE(s.ok()) << s.text << "\n" << text;
    first += 3; // The header.
    uint32_t mask = 0;
    for (unsigned l = 0; l < 32; ++l) {
      std::string probe = row(first + l);
      EXPECT_NE(probe.find("\"requests\": 1, \"lanes\": 1"), std::string::npos)
          << code << "\n"
          << probe;
      if (probe.find("\"tainted\": 1") != std::string::npos)
        mask |= 1u << l;
    }
    return mask;
  }
};

constexpr uint32_t kAll = ~0u;

// Rows.
// -----------------------------------------------------------------------

TEST_F(AccessTest, GlobalRows) {
  auto module = load(kHeader + kProlog + R"(
  ld.global.u32 %t, [%q];
  mad.wide.u32 %w, %i, 128, %p; st.global.v2.u32 [%w], {%t, %t};
  ld.global.u32 %t, [%q+4];
  ld.global.u64 %v, [%p];
  red.global.add.u32 [%p], 1; atom.global.add.u32 %t, [%q], 1;
  and.b32 %x, %t, 7; mad.wide.u32 %w, %x, 4, %p;
  st.global.u32 [%w], %t;
  ret;
})");
  uint64_t p = upload(std::vector<uint32_t>(4096));
  for (unsigned n = 0; n < 2; ++n)
    ASSERT_TRUE(launch(*module, "k", blocks(2, 64), p).ok());
  // Two launches of two blocks of two warps.
  expectRow(10, "global",
            {"{\"kernel\": \"k\", \"block\": [64, 1, 1], \"launches\": 2, "
             "\"function\": \"k\"",
             "\"instruction\": \"ld.global.u32\"",
             "\"kind\": \"load\", \"size\": 4",
             "\"full\": {\"requests\": 8, \"lanes\": 256, \"tainted\": 0, "
             "\"chosen\": 0, "
             "\"sectors\": 32, \"ideal_sectors\": 32, \"min_sectors\": 4, "
             "\"max_sectors\": 4, \"over_ideal\": 0, \"lines\": 8, "
             "\"several_lines\": 0}}"});
  expectRow(11, "global",
            {"\"kind\": \"store\", \"size\": 8",
             "\"requests\": 8, \"lanes\": 256, \"tainted\": 0, \"chosen\": 0, "
             "\"sectors\": "
             "256, \"ideal_sectors\": 64, \"min_sectors\": 32, "
             "\"max_sectors\": 32, \"over_ideal\": 8, \"lines\": 256, "
             "\"several_lines\": 8}"});
  expectRow(12, "global",
            {"\"sectors\": 40, \"ideal_sectors\": 32, \"min_sectors\": 5",
             "\"over_ideal\": 8, \"lines\": 16, \"several_lines\": 8"});
  expectRow(13, "global",
            {"\"sectors\": 8, \"ideal_sectors\": 8", "\"over_ideal\": 0"});
  expectRow(14, "global", {"\"kind\": \"atomic\""});
  expectRow(16, "global", {"\"tainted\": 8"});
}

TEST_F(AccessTest, GroupsOfWarps) {
  auto module = load(kHeader + kProlog + R"(
  ld.global.u32 %t, [%q];
  setp.lt.u32 %c, %i, 72; setp.lt.u32 %d, %i, 16;
  @%c ld.global.u32 %t, [%q];
  @%d ld.global.u32 %t, [%q];
  ret;
})");
  ASSERT_TRUE(launch(*module, "k", blocks(1, 80), alloc(4096)).ok());
  expectRow(10, "global",
            {"\"full\": {\"requests\": 2, \"lanes\": 64",
             "\"last_full\": {\"requests\": 1, \"lanes\": 16"});
  EXPECT_EQ(row(10).find("partial"), std::string::npos);
  expectRow(12, "global",
            {"\"full\": {\"requests\": 2",
             "\"last_partial\": {\"requests\": 1, \"lanes\": 8"});
  EXPECT_EQ(row(12).find("last_full"), std::string::npos);
  expectRow(13, "global",
            {"\"partial\": {\"requests\": 1, \"lanes\": 16, \"tainted\": 0, "
             "\"chosen\": 0, "
             "\"sectors\": 2"});
  EXPECT_EQ(row(13).find("\"full\""), std::string::npos);
}

TEST_F(AccessTest, SharedLocalAndConstantRows) {
  auto module = load(kHeader + ".const .align 4 .b8 c[512];\n" + kProlog + R"(
  mov.u32 %x, s; mad.lo.u32 %y, %i, 8, %x; st.shared.u32 [%y], %i;
  mad.lo.u32 %y, %i, 16, %x; ld.shared.v4.u32 {%f0, %f1, %f2, %f3}, [%y];
  mov.u32 %x, l; ld.local.u64 %v, [%x+8];
  mov.u64 %w, c; and.b32 %x, %i, 3; mad.wide.u32 %w, %x, 4, %w; ld.const.u32 %z, [%w];
  ret;
})");
  Status s = launch(*module, "k", blocks(1, 32), alloc(4096));
  ASSERT_TRUE(s.ok()) << s.text;
  expectRow(11, "shared",
            {"\"kind\": \"store\", \"size\": 4",
             "\"requests\": 1, \"lanes\": 32, \"tainted\": 0, \"chosen\": 0, "
             "\"bank_conflicts\": 1, \"max_bank_conflicts\": 1}"});
  expectRow(12, "shared", {"\"size\": 16", "\"bank_conflicts\": 0"});
  // Two words of each lane, the lanes side by side.
  expectRow(13, "local",
            {"\"sectors\": 8, \"ideal_sectors\": 8", "\"lines\": 2"});
  expectRow(14, "const", {"\"sectors\": 1", "\"replays\": 3"});
}

TEST_F(AccessTest, GenericAccessesHaveARowForEachSpace) {
  auto module = load(kHeader + kProlog + R"(
  mov.u64 %w, s; cvta.shared.u64 %w, %w; mad.wide.u32 %w, %i, 4, %w;
  setp.lt.u32 %c, %i, 8; selp.b64 %w, %q, %w, %c;
  ld.u32 %t, [%w];
  ret;
})");
  ASSERT_TRUE(launch(*module, "k", blocks(1, 32), alloc(4096)).ok());
  expectRow(12, "global",
            {"\"partial\": {\"requests\": 1, \"lanes\": 8, "
             "\"tainted\": 0, \"chosen\": 0, \"sectors\": 1"});
  expectRow(12, "shared", {"\"partial\": {\"requests\": 1, \"lanes\": 24"});
}

TEST_F(AccessTest, Copies) {
  auto module = load(kHeader + kProlog + R"(
  mov.u32 %x, s; mad.lo.u32 %x, %i, 16, %x; mad.wide.u32 %w, %i, 32, %p;
  cp.async.ca.shared.global [%x], [%w], 16;
  mov.u32 %x, s; setp.eq.u32 %c, %i, 0; add.u64 %w, %p, 16;
  mov.u32 %y, 64;
  @%c cp.async.bulk.global.shared::cta.bulk_group [%w], [%x], %y;
  ret;
})");
  Status s = launch(*module, "k", blocks(1, 32), alloc(4096));
  ASSERT_TRUE(s.ok()) << s.text;
  expectRow(11, "global",
            {"\"kind\": \"async_copy\", \"size\": 16",
             "\"sectors\": 32, \"ideal_sectors\": 16"});
  expectRow(11, "shared", {"\"kind\": \"async_copy\""});
  expectRow(14, "global",
            {"\"kind\": \"bulk_copy\", \"size\": 0",
             "\"partial\": {\"requests\": 1, \"lanes\": 1, \"tainted\": 0, "
             "\"chosen\": 0, "
             "\"sectors\": 3, \"ideal_sectors\": 2"});
}

TEST_F(AccessTest, SimilarAccessesElsewhere) {
  auto module = load(kHeader + kProlog + R"(
  mov.u32 %x, 0; mov.u32 %y, s; mad.lo.u32 %y, %i, 6, %y; and.b32 %y, %y, -2;
L: ld.global.u32 %t, [%q]; add.u64 %q, %q, 4;
  ld.shared.u16 %h, [%y]; add.u32 %y, %y, 2;
  add.u32 %x, %x, 1; setp.lt.u32 %c, %x, 8; @%c bra L; ret;
})");
  ASSERT_TRUE(launch(*module, "k", blocks(1, 32), alloc(4096)).ok());
  // One of the eight is aligned to sectors.
  expectRow(11, "global",
            {"\"sectors\": 39, \"ideal_sectors\": 32, \"min_sectors\": 4, "
             "\"max_sectors\": 5, \"over_ideal\": 7"});
  uint64_t conflicts = 0;
  for (unsigned n = 0; n < 8; ++n) {
    std::set<unsigned> words;
    unsigned perBank[32] = {}, most = 1;
    for (unsigned l = 0; l < 32; ++l)
      if (unsigned word = (l * 6 + n * 2) / 4; words.insert(word).second)
        most = std::max(most, ++perBank[word % 32]);
    conflicts += most - 1;
  }
  expectRow(12, "shared",
            {"\"bank_conflicts\": " + std::to_string(conflicts) + ","});
}

TEST_F(AccessTest, PlacesInTheSource) {
  auto module = load(kHeader + kProlog + R"(
  .loc 1 30 5
  ld.global.u32 %t, [%q];
  .loc 1 20 3, function_name $two, inlined_at 1 30 5
  .loc 2 10 7, function_name $get+2, inlined_at 1 20 3
  ld.global.u32 %t, [%q+128];
  .loc 2 11 0
  ld.global.u32 %t, [%q+256];
  ret;
}
.file 1 "a.cu"
.file 2 "b.h"
.section .debug_str
{
$two:
.b8 116,119,111,0
$get:
.b8 120,120,103,101,116,0
}
)");
  ASSERT_TRUE(launch(*module, "k", blocks(1, 32), alloc(4096)).ok());
  expectRow(11, "global", {"\"source\": \"a.cu:30:5\""});
  EXPECT_EQ(row(11).find("inlined_at"), std::string::npos);
  expectRow(14, "global",
            {"\"source\": \"b.h:10:7\", \"source_function\": \"get\", "
             "\"inlined_at\": \"a.cu:30:5\""});
  expectRow(16, "global", {"\"source\": \"b.h:11:0\""});
}

TEST_F(AccessTest, NothingWithoutTheOption) {
  Options o = traced();
  o.accesses = false;
  make(o);
  auto module = load(kHeader + kProlog + "ld.global.u32 %t, [%q]; ret;\n}");
  ASSERT_TRUE(launch(*module, "k", blocks(1, 32), alloc(4096)).ok());
  EXPECT_EQ(device->countersJson().find("\"accesses\": [\n"),
            std::string::npos);
}

TEST_F(AccessTest, TheSameOnSeveralThreads) {
  std::string documents[2];
  for (std::string &document : documents) {
    Options o = traced();
    o.threads = &document == documents ? 1 : 4;
    make(o);
    auto module = load(kHeader + kProlog + R"(
  mov.u32 %x, 0;
L: ld.global.u32 %t, [%q]; add.u32 %x, %x, 1;
  setp.lt.u32 %c, %x, 300; @%c bra L; ret;
})");
    ASSERT_TRUE(launch(*module, "k", blocks(64, 96), alloc(4096)).ok());
    document = row(11);
  }
  EXPECT_EQ(documents[0], documents[1]);
  EXPECT_NE(documents[0].find("\"requests\": 57600"), std::string::npos)
      << documents[0];
}

// Taint.
// -----------------------------------------------------------------------

TEST_F(AccessTest, TaintOfLoads) {
  EXPECT_EQ(taintedLanes("mov.u32 %x, %i;"), 0u);
  EXPECT_EQ(taintedLanes("mov.u32 %x, %t;"), kAll);
  EXPECT_EQ(taintedLanes("ld.global.u32 %x, [%p];"), 0u);
  EXPECT_EQ(taintedLanes("ld.global.v2.u32 {%y, %x}, [%p];"), 0u);
  // Also where another value's taint is left in the register.
  EXPECT_EQ(taintedLanes("mov.u32 %x, %t; ld.global.u32 %x, [%p];"), 0u);
  // The active lanes count.
  EXPECT_EQ(taintedLanes("mov.u32 %x, 0; setp.lt.u32 %c, %i, 4; "
                         "@%c ld.global.u32 %x, [%q];"),
            15u);
  EXPECT_EQ(taintedLanes("mov.u32 %x, %t; setp.lt.u32 %c, %i, 4; "
                         "@%c ld.global.u32 %x, [%p];"),
            ~15u);
  // A lane alone: by its address.
  EXPECT_EQ(taintedLanes("mov.u32 %x, 0; setp.eq.u32 %c, %i, 4; "
                         "@%c ld.global.u32 %x, [%q];"),
            0u);
  EXPECT_EQ(taintedLanes("mov.u32 %x, 0; setp.eq.u32 %c, %i, 4; "
                         "mad.wide.u32 %q, %t, 4, %p; "
                         "@%c ld.global.u32 %x, [%q];"),
            16u);
  // At one address, though it is tainted.
  EXPECT_EQ(taintedLanes("shr.u32 %y, %t, 5; mad.wide.u32 %q, %y, 4, %p; "
                         "ld.global.u32 %x, [%q];"),
            0u);
}

TEST_F(AccessTest, ChoiceTaints) {
  // What lanes compute while a tainted value keeps others away.
  EXPECT_EQ(taintedLanes("mov.u32 %x, %i; setp.lt.u32 %c, %t, 4; "
                         "@%c mov.u32 %x, 1;"),
            15u);
  EXPECT_EQ(taintedLanes("mov.u32 %x, %i; setp.lt.u32 %c, %t, 4; "
                         "@%c bra T; mov.u32 %x, 1; T:"),
            ~15u);
  // Both ways.
  EXPECT_EQ(taintedLanes("mov.u32 %x, %i; setp.lt.u32 %c, %t, 4; @%c bra T; "
                         "mov.u32 %x, 1; bra E; T: mov.u32 %x, 2; E:"),
            kAll);
  // Lanes that leave a loop in rounds that data decides.
  EXPECT_EQ(taintedLanes("mov.u32 %x, 0; L: add.u32 %x, %x, 1; "
                         "setp.lt.u32 %c, %x, %t; @%c bra L;"),
            ~3u);
  // Not behind, not by what all do, and not by other conditions.
  EXPECT_EQ(taintedLanes("setp.lt.u32 %c, %t, 4; @%c bra T; mov.u32 %y, 1; "
                         "T: mov.u32 %x, %i;"),
            0u);
  EXPECT_EQ(taintedLanes("mov.u32 %x, %i; setp.lt.u32 %c, %t, 32; "
                         "@%c mov.u32 %x, 1;"),
            0u);
  EXPECT_EQ(taintedLanes("mov.u32 %x, %i; setp.lt.u32 %c, %i, 4; "
                         "@%c bra T; mov.u32 %x, 1; T:"),
            0u);
}

TEST_F(AccessTest, ChosenRequests) {
  auto module = load(kHeader + kProlog + R"(
  ld.global.u32 %t, [%q];
  setp.lt.u32 %c, %t, 4;
  @%c st.global.u32 [%q], %i;
  @%c bra T;
  st.global.u32 [%q+128], %i;
T:
  st.global.u32 [%q+256], %i;
  setp.lt.u32 %c, %i, 4;
  @%c st.global.u32 [%q], %i;
  setp.lt.u32 %c, %t, 2;
  @%c ret;
  st.global.u32 [%q], %i;
  ret;
})");
  std::vector<uint32_t> numbers(128);
  for (uint32_t k = 0; k < 128; ++k)
    numbers[k] = k % 32;
  Status s = launch(*module, "k", blocks(1, 32), upload(numbers));
  ASSERT_TRUE(s.ok()) << s.text;
  expectRow(12, "global", {"\"lanes\": 4", "\"chosen\": 1"});
  expectRow(14, "global", {"\"lanes\": 28", "\"chosen\": 1"});
  expectRow(16, "global", {"\"lanes\": 32", "\"chosen\": 0"});
  expectRow(18, "global", {"\"lanes\": 4", "\"chosen\": 0"});
  expectRow(21, "global", {"\"lanes\": 30", "\"chosen\": 1"});
}

TEST_F(AccessTest, TaintOfOtherMemories) {
  std::string shared = "mov.u32 %y, s; shl.b32 %z, %i, 2; add.u32 %z, %z, %y; ";
  EXPECT_EQ(taintedLanes(shared + "st.shared.u32 [%z], %i; "
                                  "ld.shared.u32 %x, [%z];"),
            kAll);
  EXPECT_EQ(taintedLanes(shared + "st.shared.u32 [%y], %t; "
                                  "ld.shared.u32 %x, [%y];"),
            0u);
  EXPECT_EQ(taintedLanes("mov.u64 %w, c; and.b32 %y, %i, 1; "
                         "mad.wide.u32 %w, %y, 4, %w; ld.const.u32 %x, [%w];",
                         ".const .align 4 .b8 c[64];\n"),
            kAll);
  EXPECT_EQ(taintedLanes("mov.u32 %x, 0; atom.global.add.u32 %x, [%p], 1;"),
            kAll);
  EXPECT_EQ(taintedLanes("mov.u32 %x, 0; red.global.add.u32 [%p], %t;"), 0u);
}

TEST_F(AccessTest, TaintOfArithmetic) {
  for (const char *code :
       {"add.u32 %x, %t, 1;", "mad.lo.u32 %x, %i, %t, 5;",
        "cvt.u16.u32 %h, %t; cvt.u32.u16 %x, %h;",
        "cvt.u64.u32 %v, %t; cvt.u32.u64 %x, %v;",
        "mov.b64 %v, {%i, %t}; mov.b64 {%y, %x}, %v;",
        "setp.lt.u32 %c, %t, 5; selp.u32 %x, 1, 2, %c;",
        "setp.lt.u32 %c, %t, 5; not.pred %d, %c; selp.u32 %x, 1, 2, %d;",
        "setp.lt.u32 %c, %t, 5; selp.u32 %x, 1, 2, !%c;",
        "selp.u32 %x, %t, 2, 1;", "add.cc.u32 %y, %t, -1; addc.u32 %x, %i, 0;",
        "cvt.rn.f32.u32 %f0, %t; add.f32 %f0, %f0, %f0; "
        "cvt.rzi.u32.f32 %x, %f0;"})
    EXPECT_EQ(taintedLanes(code), kAll) << code;
  for (const char *code :
       {"add.u32 %x, %i, 1;", "selp.u32 %x, 1, 2, 1;",
        "add.cc.u32 %y, %t, -1; add.cc.u32 %y, %i, 1; addc.u32 %x, %i, 0;",
        "setp.lt.u32 %c, %t, 99; mov.u32 %x, 1; @%c mov.u32 %x, 2;"})
    EXPECT_EQ(taintedLanes(code), 0u) << code;
}

TEST_F(AccessTest, TaintOfWarpOperations) {
  const std::string half =
      "mov.u32 %y, %i; setp.lt.u32 %c, %i, 8; @%c mov.u32 %y, %t; ";
  EXPECT_EQ(taintedLanes(half + "shfl.sync.idx.b32 %x, %y, 3, 31, -1;"), kAll);
  EXPECT_EQ(taintedLanes(half + "shfl.sync.idx.b32 %x, %y, 9, 31, -1;"), 0u);
  EXPECT_EQ(taintedLanes(half + "shfl.sync.bfly.b32 %x, %y, 16, 31, -1;"),
            0xff0000u);
  EXPECT_EQ(taintedLanes(half + "shfl.sync.down.b32 %x, %y, 4, 31, -1;"), 15u);
  EXPECT_EQ(taintedLanes(half + "shfl.sync.up.b32 %x, %y, 4, 0, -1;"), 0xfffu);
  EXPECT_EQ(taintedLanes("shfl.sync.idx.b32 %x, %i, %t, 31, -1;"), kAll);
  EXPECT_EQ(taintedLanes("shfl.sync.idx.b32 %y|%d, %t, 0, 31, -1; "
                         "selp.u32 %x, 1, 2, %d;"),
            0u);
  EXPECT_EQ(taintedLanes("setp.lt.u32 %c, %t, 5; "
                         "vote.sync.ballot.b32 %x, %c, -1;"),
            kAll);
  EXPECT_EQ(taintedLanes("setp.lt.u32 %c, %i, 5; "
                         "vote.sync.ballot.b32 %x, %c, -1;"),
            0u);
}

TEST_F(AccessTest, TaintOfMatricesAndTextures) {
  const std::string rows = "mov.u32 %z, s; shl.b32 %y, %i, 4; and.b32 %y, %y, "
                           "112; add.u32 %y, %y, %z; ";
  const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, ";
  EXPECT_EQ(taintedLanes(rows + load + "[%y];"), kAll);
  EXPECT_EQ(taintedLanes(rows + load + "[%z];"), 0u);
  expectRow(10, "shared", {"\"size\": 16", "\"lanes\": 8"});
  EXPECT_EQ(taintedLanes("mov.u32 %x, 0; movmatrix.sync.aligned.m8n8.trans.b16 "
                         "%x, %t;"),
            kAll);
  const std::string fetch = "tex.1d.v4.u32.s32 {%x, _, _, _}, ";
  EXPECT_EQ(taintedLanes(fetch + "[%m, {%i}];"), kAll);
  EXPECT_EQ(taintedLanes("mov.u32 %y, 3; " + fetch + "[%m, {%y}];"), 0u);
}

TEST_F(AccessTest, TaintInLocalMemory) {
  EXPECT_EQ(taintedLanes("st.local.u32 [l], %t; ld.local.u32 %x, [l];"), kAll);
  EXPECT_EQ(taintedLanes("st.local.u32 [l], %t; st.local.u32 [l+4], %i; "
                         "ld.local.u32 %x, [l+4];"),
            0u);
  EXPECT_EQ(taintedLanes("st.local.u32 [l], %t; st.local.u32 [l], %i; "
                         "ld.local.u32 %x, [l];"),
            0u);
  EXPECT_EQ(taintedLanes("st.local.v2.u32 [l], {%t, %i}; "
                         "ld.local.v2.u32 {%y, %x}, [l];"),
            0u);
  EXPECT_EQ(taintedLanes("st.local.u32 [l], %t; st.local.u8 [l], %i; "
                         "ld.local.u8 %x, [l];"),
            0u);
  EXPECT_EQ(taintedLanes("st.local.u32 [l], %t; st.local.u8 [l], %i; "
                         "ld.local.u8 %x, [l+1];"),
            kAll);
  // Only the lanes that store.
  EXPECT_EQ(taintedLanes("st.local.u32 [l], %i; setp.lt.u32 %c, %i, 4; "
                         "@%c st.local.u32 [l], %t; ld.local.u32 %x, [l];"),
            15u);
  // Through generic addresses, as code that is not optimized does it.
  const std::string generic = "mov.u64 %v, l; cvta.local.u64 %v, %v; ";
  EXPECT_EQ(taintedLanes(generic + "st.u32 [%v+4], %t; ld.u32 %x, [%v+4];"),
            kAll);
  EXPECT_EQ(taintedLanes(generic + "st.u32 [%v], %t; st.u32 [%v+4], %i; "
                                   "ld.local.u32 %x, [l+4];"),
            0u);
  // An array with an index.
  EXPECT_EQ(taintedLanes("mov.u32 %y, l; and.b32 %z, %i, 1; shl.b32 %z, %z, 2; "
                         "add.u32 %y, %y, %z; st.local.u32 [%y], %i; "
                         "ld.local.u32 %x, [%y];"),
            kAll);
}

TEST_F(AccessTest, TaintThroughCalls) {
  const std::string functions = R"(
.func (.param .b32 r) second(.param .b32 a, .param .b32 b) {
  .reg .b32 %r; ld.param.u32 %r, [b]; st.param.u32 [r], %r; ret;
}
)";
  auto call = [](const char *a, const char *b) {
    return std::string("{ .param .b32 a; .param .b32 b; .param .b32 r; "
                       "st.param.u32 [a], ") +
           a + "; st.param.u32 [b], " + b +
           "; call (r), second, (a, b); ld.param.u32 %x, [r]; }";
  };
  EXPECT_EQ(taintedLanes(call("%i", "%t"), functions), kAll);
  EXPECT_EQ(taintedLanes(call("%t", "%i"), functions), 0u);
  EXPECT_EQ(taintedLanes("setp.lt.u32 %c, %i, 4; mov.u32 %x, %t; @%c bra B; " +
                             call("%i", "%i") + "\nB:",
                         functions),
            15u);
}

TEST_F(AccessTest, ResultsOfExternalFunctionsAreNotTainted) {
  const std::string functions =
      ".extern .func (.param .b64 r) malloc(.param .b64 n);\n";
  const std::string call =
      "cvt.u64.u32 %v, %t; { .param .b64 n; .param .b64 r; "
      "st.param.u64 [n], 16; st.param.u64 [r], %v; ";
  EXPECT_EQ(taintedLanes(call + "ld.param.u32 %x, [r]; }", functions), kAll);
  EXPECT_EQ(taintedLanes(call + "call (r), malloc, (n); "
                                "ld.param.u32 %x, [r]; }",
                         functions),
            0u);
}

} // namespace
