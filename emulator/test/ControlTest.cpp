//===- ControlTest.cpp - Divergence, calls, barriers, warp operations -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {
namespace {

class ControlTest : public EmuTest {
protected:
  std::vector<uint32_t> run(const std::string &ptx, uint32_t grid,
                            uint32_t block, size_t words = 0) {
    auto module = load(kHeader + ptx);
    if (!module)
      return {};
    size_t n = words ? words : size_t(grid) * block;
    uint64_t p = upload(std::vector<uint32_t>(n));
    Status s = launch(*module, "k", blocks(grid, block), p);
    EXPECT_TRUE(s.ok()) << s.text;
    return download<uint32_t>(p, n);
  }
  /// Declarations and the thread's number in %i; stores %d at the end.
  static std::string body(const std::string &code,
                          const std::string &before = "") {
    return before +
           ".visible .entry k(.param .u64 p) {\n"
           "  .reg .b64 %p, %q<8>; .reg .b32 %i, %d, %r<16>;\n"
           "  .reg .pred %c<8>;\n  mov.u32 %r0, %ctaid.x;\n"
           "  mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n"
           "  mad.lo.u32 %i, %r0, %r1, %r2; mov.u32 %d, 0;\n" +
           code +
           "\n  ld.param.u64 %p, [p]; mad.wide.u32 %p, %i, 4, %p;\n"
           "  st.global.u32 [%p], %d; ret;\n}\n";
  }
};

TEST_F(ControlTest, LoopsOfDifferentLengths) {
  auto r = run(body(R"(
  and.b32 %r3, %i, 7;
LOOP:
  setp.eq.u32 %c0, %r3, 0; @%c0 bra DONE;
  add.u32 %d, %d, %r3; sub.u32 %r3, %r3, 1; bra LOOP;
DONE:)"),
               2, 50);
  for (uint32_t i = 0; i < 100; ++i)
    EXPECT_EQ(r[i], (i & 7) * ((i & 7) + 1) / 2);
}

TEST_F(ControlTest, NestedDivergence) {
  auto r = run(body(R"(
  and.b32 %r3, %i, 1; setp.eq.u32 %c0, %r3, 0; @%c0 bra EVEN;
  and.b32 %r3, %i, 2; setp.eq.u32 %c1, %r3, 0; @%c1 bra ODD0;
  add.u32 %d, %d, 3; bra JOIN;
ODD0: add.u32 %d, %d, 1; bra JOIN;
EVEN: and.b32 %r3, %i, 2; setp.ne.u32 %c1, %r3, 0; @%c1 add.u32 %d, %d, 2;
JOIN: add.u32 %d, %d, 100;)"),
               1, 64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(r[i], 100 + (i & 3));
}

TEST_F(ControlTest, BranchIndex) {
  auto r = run(body(R"(
  and.b32 %r3, %i, 3;
T: .branchtargets A, B, C, A;
  brx.idx %r3, T;
A: add.u32 %d, %d, 10; bra E;
B: add.u32 %d, %d, 20; bra E;
C: add.u32 %d, %d, 30;
E:)"),
               1, 40);
  const uint32_t want[] = {10, 20, 30, 10};
  for (uint32_t i = 0; i < 40; ++i)
    EXPECT_EQ(r[i], want[i & 3]);
}

TEST_F(ControlTest, ScopesHideNames) {
  auto r = run(body(R"(
  mov.u32 %r3, 1;
  { .reg .b32 %r3; mov.u32 %r3, 5;
    { .reg .pred %x; setp.gt.u32 %x, %r3, 4; @%x bra L; mov.u32 %r3, 0;
      L: add.u32 %d, %d, %r3; } }
  { .reg .pred %x; setp.eq.u32 %x, %i, 3; @%x bra L; add.u32 %d, %d, 100; L: }
  add.u32 %d, %d, %r3;)"),
               1, 8);
  for (uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(r[i], i == 3 ? 6u : 106u);
}

const char kFunctions[] = R"(
.func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<2>; ld.param.u32 %r0, [x]; add.u32 %r0, %r0, %r0;
  st.param.b32 [r], %r0; ret;
}
.func (.param .b32 r) sum(.param .b32 x) {
  .reg .b32 %r<4>; .reg .pred %p;
  ld.param.u32 %r0, [x]; mov.u32 %r1, 0; setp.eq.u32 %p, %r0, 0; @%p bra OUT;
  sub.u32 %r2, %r0, 1;
  { .param .b32 a; .param .b32 v; st.param.b32 [a], %r2;
    call.uni (v), sum, (a); ld.param.b32 %r1, [v]; }
  add.u32 %r1, %r1, %r0;
OUT: st.param.b32 [r], %r1; ret;
}
.func (.param .align 16 .b8 r[32]) rotate(.param .align 16 .b8 s[24]) {
  .reg .b64 %a, %b, %c; ld.param.v2.b64 {%a, %b}, [s]; ld.param.b64 %c, [s+16];
  st.param.b64 [r], %b; st.param.v2.b64 [r+16], {%a, %c}; ret;
}
)";

TEST_F(ControlTest, DirectAndRecursiveCalls) {
  auto r = run(body(R"(
  and.b32 %r3, %i, 31;
  { .param .b32 a; .param .b32 v; st.param.b32 [a], %r3;
    call (v), sum, (a); ld.param.b32 %d, [v]; }
  and.b32 %r4, %i, 1; setp.eq.u32 %c0, %r4, 1; @!%c0 bra SKIP;
  { .param .b32 a; .param .b32 v; st.param.b32 [a], %d;
    call (v), twice, (a); ld.param.b32 %d, [v]; }
SKIP:)",
                    kFunctions),
               2, 48);
  for (uint32_t i = 0; i < 96; ++i) {
    uint32_t n = i & 31;
    EXPECT_EQ(r[i], n * (n + 1) / 2 * (i & 1 ? 2 : 1));
  }
}

TEST_F(ControlTest, IndirectCallsAndAggregates) {
  auto r = run(body(R"(
  mov.u64 %q0, twice; mov.u64 %q1, sum; and.b32 %r3, %i, 1;
  setp.eq.u32 %c0, %r3, 1; selp.b64 %q2, %q0, %q1, %c0;
  P: .callprototype (.param .b32 _) _ (.param .b32 _);
  { .param .b32 a; .param .b32 v; st.param.b32 [a], %i;
    call (v), %q2, (a), P; ld.param.b32 %d, [v]; }
  { .param .align 16 .b8 a[24]; .param .align 16 .b8 v[32];
    cvt.u64.u32 %q3, %i;
    st.param.b64 [a], %q3; st.param.b64 [a+8], 7; st.param.b64 [a+16], 9;
    call (v), rotate, (a); ld.param.b64 %q4, [v+16]; ld.param.b64 %q5, [v]; }
  cvt.u32.u64 %r5, %q4; mad.lo.u32 %d, %r5, 1000, %d;
  cvt.u32.u64 %r5, %q5; mad.lo.u32 %d, %r5, 1000000, %d;)",
                    kFunctions),
               1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], (i & 1 ? 2 * i : i * (i + 1) / 2) + i * 1000 + 7000000);
}

TEST_F(ControlTest, StackOverflow) {
  auto module = load(kHeader + R"(
.func f() { call f; ret; }
.visible .entry k(.param .u64 p) { call f; ret; })");
  Status s = launch(*module, "k", blocks(1, 1), alloc(4));
  EXPECT_EQ(s.kind, ErrorKind::StackOverflow);
}

TEST_F(ControlTest, CallThroughWildPointer) {
  auto module = load(kHeader + body(R"(
  mov.u64 %q0, 0x1234; P: .callprototype _ (); call %q0, (), P;)"));
  Status s = launch(*module, "k", blocks(1, 1), alloc(4));
  EXPECT_EQ(s.kind, ErrorKind::InvalidPc);
}

TEST_F(ControlTest, Barrier) {
  // Each warp reads what another wrote before the barrier.
  auto r = run(body(R"(
  .shared .align 4 .b8 s[1024];
  mov.u32 %r3, s; shl.b32 %r4, %r2, 2; add.u32 %r4, %r4, %r3;
  st.shared.u32 [%r4], %i; bar.sync 0;
  sub.u32 %r5, 255, %r2; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r3;
  ld.shared.u32 %d, [%r5];)"),
               3, 256);
  for (uint32_t i = 0; i < 768; ++i)
    EXPECT_EQ(r[i], i / 256 * 256 + 255 - i % 256);
}

TEST_F(ControlTest, BarrierReductions) {
  auto r = run(body(R"(
  setp.lt.u32 %c0, %r2, 37; setp.lt.u32 %c1, %r2, 1000;
  bar.red.popc.u32 %d, 1, %c0;
  bar.red.and.pred %c2, 1, %c0; bar.red.or.pred %c3, 1, %c0;
  bar.red.and.pred %c4, 1, %c1; bar.red.or.pred %c5, 1, !%c1;
  selp.u32 %r3, 1000, 0, %c2; add.u32 %d, %d, %r3;
  selp.u32 %r3, 2000, 0, %c3; add.u32 %d, %d, %r3;
  selp.u32 %r3, 4000, 0, %c4; add.u32 %d, %d, %r3;
  selp.u32 %r3, 8000, 0, %c5; add.u32 %d, %d, %r3;)"),
               1, 100);
  for (uint32_t v : r)
    EXPECT_EQ(v, 37u + 2000 + 4000);
}

TEST_F(ControlTest, NamedBarriersProducerConsumer) {
  // Warps 0 and 1 produce and only arrive; warps 2 and 3 wait for them.
  auto r = run(body(R"(
  .shared .align 4 .b8 s[256];
  shl.b32 %r4, %r2, 2; mov.u32 %r3, s;
  setp.ge.u32 %c0, %r2, 64; @%c0 bra CONSUME;
  add.u32 %r4, %r4, %r3; add.u32 %r5, %i, 500; st.shared.u32 [%r4], %r5;
  bar.arrive 3, 128; bra OUT;
CONSUME: bar.sync 3, 128; add.u32 %r4, %r4, %r3; ld.shared.u32 %d, [%r4+-256];
OUT:)"),
               1, 128);
  for (uint32_t i = 64; i < 128; ++i)
    EXPECT_EQ(r[i], 500 + i - 64);
}

TEST_F(ControlTest, BarrierAfterExit) {
  auto r = run(body(R"(
  setp.ge.u32 %c0, %r2, 40; @%c0 exit; bar.sync 0; mov.u32 %d, 1;)"),
               1, 96);
  for (uint32_t i = 0; i < 96; ++i)
    EXPECT_EQ(r[i], i < 40 ? 1u : 0u);
}

TEST_F(ControlTest, DeadlockIsAnError) {
  auto module = load(kHeader + body(R"(
  setp.lt.u32 %c0, %r2, 32; @%c0 bra A; bar.sync 1; bra B;
A: bar.sync 2; B:)"));
  Status s = launch(*module, "k", blocks(1, 64), alloc(256));
  EXPECT_EQ(s.kind, ErrorKind::Deadlock);
  EXPECT_NE(s.text.find("64 threads"), std::string::npos) << s.text;
}

TEST_F(ControlTest, Shuffles) {
  auto r = run(body(R"(
  shfl.sync.down.b32 %r3|%c0, %i, 3, 31, -1; selp.u32 %r4, 1000, 0, %c0;
  add.u32 %d, %r3, %r4;)"),
               1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i + 3 < 32 ? i + 3 + 1000 : i);
  r = run(body("shfl.sync.up.b32 %d, %i, 5, 0, -1;"), 1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i >= 5 ? i - 5 : i);
  r = run(body("shfl.sync.bfly.b32 %d, %i, 9, 31, -1;"), 1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i ^ 9);
  // Segments of eight: the mask is 24 in bits 8 to 12.
  r = run(body("shfl.sync.idx.b32 %d, %i, 2, 0x181f, -1;"), 1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], (i & ~7u) + 2);
  r = run(body("shfl.sync.down.b32 %d, %i, 3, 0x181f, -1;"), 1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], (i & 7) + 3 < 8 ? i + 3 : i);
}

TEST_F(ControlTest, VotesAndMatches) {
  auto r = run(body(R"(
  setp.lt.u32 %c0, %r2, 5; vote.sync.ballot.b32 %d, %c0, -1;
  vote.sync.all.pred %c1, %c0, 0x1f; vote.sync.any.pred %c2, %c0, -1;
  vote.sync.uni.pred %c3, %c0, -1;
  selp.u32 %r3, 0x100, 0, %c2; or.b32 %d, %d, %r3;
  selp.u32 %r3, 0x200, 0, %c3; or.b32 %d, %d, %r3;)"),
               1, 32);
  for (uint32_t v : r)
    EXPECT_EQ(v, 0x11fu);
  r = run(body("and.b32 %r3, %i, 3; match.any.sync.b32 %d, %r3, -1;"), 1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], 0x11111111u << (i & 3));
  r = run(body(R"(
  match.all.sync.b32 %r3|%c0, 7, -1; selp.u32 %r4, 1, 0, %c0;
  match.all.sync.b32 %r5|%c1, %i, -1; selp.u32 %r6, 2, 0, %c1;
  xor.b32 %d, %r3, %r5; add.u32 %d, %d, %r4; add.u32 %d, %d, %r6;)"),
          1, 32);
  for (uint32_t v : r)
    EXPECT_EQ(v, 0u); // ~0 + 1
  r = run(body("redux.sync.add.u32 %r3, %i, -1; redux.sync.max.s32 %r4, %i, -1;"
               "mad.lo.u32 %d, %r4, 1000, %r3;"),
          1, 32);
  for (uint32_t v : r)
    EXPECT_EQ(v, 31000u + 496);
}

TEST_F(ControlTest, SynchronisesDivergedLanes) {
  // Half of the lanes come to the shuffle by another way.
  auto r = run(body(R"(
  and.b32 %r3, %i, 1; setp.eq.u32 %c0, %r3, 1; mov.u32 %r4, 0;
  @%c0 bra SLOW; bra MEET;
SLOW: add.u32 %r4, %r4, 1; setp.lt.u32 %c1, %r4, 50; @%c1 bra SLOW;
MEET: add.u32 %r5, %r4, %i; shfl.sync.bfly.b32 %d, %r5, 1, 31, -1;)"),
               1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], (i ^ 1) + (i & 1 ? 0u : 50u));
  // Masks of parts, and bar.warp.sync from both sides of a branch.
  r = run(body(R"(
  .shared .align 4 .b8 s[128]; mov.u32 %r6, s; shl.b32 %r7, %i, 2;
  add.u32 %r7, %r7, %r6;
  setp.lt.u32 %c0, %i, 16; @%c0 bra LOW;
  st.shared.u32 [%r7], %i; bar.warp.sync -1; bra OUT;
LOW: add.u32 %r8, %i, 100; st.shared.u32 [%r7], %r8; bar.warp.sync -1;
OUT: xor.b32 %r9, %r7, 64; ld.shared.u32 %d, [%r9];)"),
          1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], (i ^ 16) + (i < 16 ? 0u : 100u));
}

TEST_F(ControlTest, LanesMeetAtDifferentInstructions) {
  // nvcc makes two loops of one in which a branch asks for the lane.
  auto sumThrice = [](const std::string &label, const std::string &sum,
                      const std::string &other) {
    std::string text = label + ": mov.u32 " + sum + ", %i;\n";
    for (int distance = 16; distance > 0; distance /= 2)
      text += "shfl.sync.bfly.b32 " + other + ", " + sum + ", " +
              std::to_string(distance) + ", 31, -1; add.u32 " + sum + ", " +
              sum + ", " + other + ";\n";
    return text + "add.u32 %d, %d, " + sum +
           "; add.u32 %r3, %r3, 1;\n"
           "setp.lt.u32 %c1, %r3, 3; @%c1 bra " +
           label + ";\n";
  };
  auto r = run(body("mov.u32 %r3, 0; mov.u32 %d, 0; setp.eq.u32 %c0, %i, 0;"
                    "@%c0 bra ONE;\n" +
                    sumThrice("ALL", "%r4", "%r5") + "bra OUT;\n" +
                    sumThrice("ONE", "%r6", "%r7") + "OUT:"),
               1, 32);
  for (uint32_t v : r)
    EXPECT_EQ(v, 3u * 496);
  // Other results and sources: predicates, constants, 64 bits.
  const std::string branch = R"(
  and.b32 %r3, %i, 1; setp.eq.u32 %c1, %r3, 1; setp.lt.u32 %c0, %i, 16;
  mov.u32 %d, 0; cvt.u64.u32 %q1, %r3; @%c0 bra LOW;
)";
  r = run(body(branch + R"(
  vote.sync.ballot.b32 %d, %c1, -1; bra OUT;
LOW: vote.sync.ballot.b32 %d, %c0, -1; OUT:)"),
          1, 32);
  for (uint32_t v : r)
    EXPECT_EQ(v, 0xaaaaffffu);
  r = run(body(branch + R"(
  vote.sync.all.pred %c2, %c1, -1; @%c2 add.u32 %d, %d, 5; bra OUT;
LOW: vote.sync.all.pred %c3, %c0, -1; @!%c3 add.u32 %d, %d, 7; OUT:)"),
          1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i < 16 ? 7u : 0u);
  r = run(body(branch + R"(
  redux.sync.add.u32 %d, 1000, -1; bra OUT;
LOW: redux.sync.add.u32 %d, %i, -1; OUT:)"),
          1, 32);
  for (uint32_t v : r)
    EXPECT_EQ(v, 120u + 16000u);
  r = run(body(branch + R"(
  match.any.sync.b64 %d, 1, -1; bra OUT;
LOW: match.any.sync.b64 %r5, %q1, -1; mov.u32 %d, %r5; OUT:)"),
          1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i >= 16 || i & 1 ? 0xffffaaaau : 0x5555u);
}

TEST_F(ControlTest, WarnsOfMemberMasksWithoutTheThread) {
  run(body("shfl.sync.bfly.b32 %d, %i, 1, 31, -1;"), 1, 64);
  EXPECT_EQ(diagnostics, "");
  run(body("L: redux.sync.add.s32 %r3, 1, 0xffff; add.u32 %d, %d, 1;"
           "setp.lt.u32 %c1, %d, 3; @%c1 bra L;"),
      1, 64);
  for (const char *part :
       {"warning: the member mask 0xffff does not name the thread",
        "redux.sync.add.s32 at test.ptx:", "thread (16, 0, 0)"})
    EXPECT_NE(diagnostics.find(part), std::string::npos) << diagnostics;
  EXPECT_EQ(std::count(diagnostics.begin(), diagnostics.end(), '\n'), 1)
      << diagnostics;
}

TEST_F(ControlTest, ActiveMask) {
  auto r = run(body(R"(
  setp.lt.u32 %c0, %i, 3; @%c0 bra A; activemask.b32 %d; bra B;
A: activemask.b32 %d; B:)"),
               1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i < 3 ? 7u : ~7u);
}

// The block at the end of each loop lies before those of its body, as compilers
// put it where they rotate loops: lanes meet there all the same.
TEST_F(ControlTest, MeetsAtTheEndOfRotatedLoops) {
  auto r = run(body(R"(
  mov.u32 %r3, 0; bra.uni OUTER;
ENDOUTER:
  add.u32 %r3, %r3, 1; setp.lt.u32 %c0, %r3, 4; @%c0 bra OUTER; bra.uni DONE;
ENDINNER:
  add.u32 %r4, %r4, 1; setp.lt.u32 %c1, %r4, 4; @%c1 bra INNER;
  activemask.b32 %r6; setp.ne.u32 %c2, %r6, 0xffffffff;
  @%c2 add.u32 %d, %d, 1; bra.uni ENDOUTER;
OUTER:
  mov.u32 %r4, %r3;
INNER:
  add.u32 %r5, %i, %r4; and.b32 %r5, %r5, 1; setp.eq.u32 %c3, %r5, 0;
  @%c3 bra ENDINNER;
  activemask.b32 %r6; popc.b32 %r6, %r6; setp.ne.u32 %c2, %r6, 16;
  @%c2 add.u32 %d, %d, 100; bra.uni ENDINNER;
DONE:)"),
               1, 32);
  EXPECT_EQ(r, std::vector<uint32_t>(32, 0));
}

// A loop with two entries has no first block.
TEST_F(ControlTest, LoopOfTwoEntries) {
  auto r = run(body(R"(
  and.b32 %r3, %i, 1; setp.eq.u32 %c0, %r3, 0; @%c0 bra B;
A: add.u32 %d, %d, 1; setp.gt.u32 %c1, %d, 9; @%c1 bra DONE;
B: add.u32 %d, %d, 2; bra A;
DONE:)"),
               1, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i % 2 ? 10u : 12u);
}

// Forward progress.
// -------------------------------------------------------------

TEST_F(ControlTest, SpinLockWithinAWarp) {
  auto r = run(body(R"(
  ld.param.u64 %q0, [p]; add.u64 %q1, %q0, 1000;
TRY: atom.global.cas.b32 %r3, [%q1], 0, 1; setp.ne.u32 %c0, %r3, 0;
  @%c0 bra TRY;
  ld.global.u32 %r4, [%q1+4]; add.u32 %r4, %r4, 1; st.global.u32 [%q1+4], %r4;
  membar.gl; atom.global.exch.b32 %r5, [%q1], 0;)"),
               2, 64, 300);
  EXPECT_EQ(r[251], 128u);
}

TEST_F(ControlTest, GridBarrier) {
  auto r = run(body(R"(
  ld.param.u64 %q0, [p]; add.u64 %q1, %q0, 40000;
  bar.sync 0; setp.ne.u32 %c0, %r2, 0; @%c0 bra WAIT;
  atom.global.add.u32 %r3, [%q1], 1;
SPIN: ld.volatile.global.u32 %r3, [%q1]; setp.lt.u32 %c1, %r3, 100;
  @%c1 bra SPIN;
WAIT: bar.sync 0; ld.volatile.global.u32 %d, [%q1];)"),
               100, 64, 11000);
  for (uint32_t i = 0; i < 6400; ++i)
    ASSERT_EQ(r[i], 100u);
}

TEST_F(ControlTest, ChainOfBlocks) {
  // Block n waits for what block n - 1 published: look-back.
  auto r = run(body(R"(
  ld.param.u64 %q0, [p]; add.u64 %q1, %q0, 40000; mul.wide.u32 %q2, %r0, 4;
  add.u64 %q1, %q1, %q2; setp.eq.u32 %c0, %r0, 0; mov.u32 %r4, 0;
  @%c0 bra PUBLISH;
SPIN: ld.volatile.global.u32 %r4, [%q1+-4]; setp.eq.u32 %c1, %r4, 0;
  @%c1 bra SPIN;
PUBLISH: add.u32 %d, %r4, 1; st.volatile.global.u32 [%q1], %d;)"),
               1000, 1, 11000);
  for (uint32_t i = 0; i < 1000; ++i)
    ASSERT_EQ(r[i], i + 1);
}

TEST_F(ControlTest, SeedsChangeOrderNotResults) {
  for (uint64_t seed : {1, 2, 77}) {
    Options o = defaults();
    o.scheduleSeed = seed;
    make(o);
    auto r = run(body(R"(
  .shared .align 4 .b8 s[4]; mov.u32 %r3, s; atom.shared.add.u32 %r4, [%r3], 1;
  bar.sync 0; ld.shared.u32 %d, [%r3]; ld.param.u64 %q0, [p];
  red.global.add.u32 [%q0+20000], 1;)"),
                 40, 96, 6000);
    for (uint32_t i = 0; i < 40 * 96; ++i)
      ASSERT_EQ(r[i], 96u);
    EXPECT_EQ(r[5000], 3840u);
  }
}

TEST_F(ControlTest, OneThreadAtATime) {
  Options o = defaults();
  o.oneThreadAtATime = true;
  make(o);
  auto r = run(body(R"(
  and.b32 %r3, %i, 3; add.u32 %r4, %r3, %i; shfl.sync.bfly.b32 %d, %r4, 1, 31, -1;
  bar.sync 0;)"),
               1, 64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(r[i], (i ^ 1) + ((i ^ 1) & 3));
}

TEST_F(ControlTest, SeveralThreadsOfTheHost) {
  Options o = defaults();
  o.threads = 4;
  make(o);
  auto module = load(kHeader + R"(
.visible .entry k(.param .u64 p) {
  .reg .b64 %p; .reg .b32 %r<4>; .reg .pred %c; ld.param.u64 %p, [p];
  mov.u32 %r0, 0;
L: red.global.add.u32 [%p], 1; add.u32 %r0, %r0, 1; setp.lt.u32 %c, %r0, 50;
  @%c bra L; ret;
})");
  uint64_t p = upload(std::vector<uint32_t>{0});
  Status s = launch(*module, "k", blocks(500, 64), p);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 1)[0], 500u * 64 * 50);
}

} // namespace
} // namespace gpulto::emu::test
