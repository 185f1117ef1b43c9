//===- AsyncTest.cpp - cp.async, mbarrier, what is not implemented --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {

class AsyncTest : public EmuTest {
protected:
  /// A kernel with %p its parameter, %i the thread, %b the address of an
  /// mbarrier, %s that of 512 bytes behind it.
  static std::string kernel(const std::string &code) {
    return kHeader + R"(
.visible .entry k(.param .u64 p) {
  .shared .align 16 .b8 sh[528]; .reg .b64 %p, %q, %state; .reg .pred %c, %d;
  .reg .b32 %i, %b, %s, %r, %u;
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mov.u32 %b, sh;
  add.u32 %s, %b, 16; mad.wide.u32 %q, %i, 4, %p;
)" + code + "\n  ret;\n}\n";
  }
  Status run(const std::string &code, uint64_t p, uint32_t threads) {
    auto module = load(kernel(code));
    return module ? launch(*module, "k", blocks(1, threads), p)
                  : Status{ErrorKind::InvalidPtx, "load"};
  }
};

// The first thread initializes for all threads of the block.
static const std::string kInit = R"(
  setp.eq.u32 %c, %i, 0; mov.u32 %u, %ntid.x;
  @%c mbarrier.init.shared::cta.b64 [%b], %u; bar.sync 0;)";

TEST_F(AsyncTest, ArriveAndWait) {
  for (const char *wait :
       {"WAIT: mbarrier.test_wait.shared.b64 %d, [%b], %state;",
        "WAIT: mbarrier.try_wait.acquire.cta.shared::cta.b64 %d, [%b], %state;",
        "WAIT: mbarrier.try_wait.parity.shared.b64 %d, [%b], 0, 1000;"}) {
    uint64_t p = alloc(96 * 4);
    Status s = run(kInit + R"(
  shl.b32 %r, %i, 2; add.u32 %r, %r, %s; st.shared.u32 [%r], %i;
  mbarrier.arrive.release.cta.shared::cta.b64 %state, [%b];
)" + wait + R"( @!%d bra WAIT;
  sub.u32 %r, 95, %i; shl.b32 %r, %r, 2; add.u32 %r, %r, %s;
  ld.shared.u32 %r, [%r]; st.global.u32 [%q], %r;)",
                   p, 96);
    ASSERT_TRUE(s.ok()) << s.text;
    auto v = download<uint32_t>(p, 96);
    for (uint32_t i = 0; i < 96; ++i)
      EXPECT_EQ(v[i], 95 - i) << wait;
  }
}

TEST_F(AsyncTest, PhasesCountsAndDrops) {
  uint64_t p = alloc(64);
  Status s = run(R"(
  mbarrier.init.shared.b64 [%b], 5;
  mbarrier.test_wait.parity.shared.b64 %d, [%b], 1; // Before the first: true.
  selp.u32 %r, 1, 0, %d; st.global.u32 [%p], %r;
  mbarrier.arrive.shared.b64 %state, [%b], 3;
  mbarrier.pending_count.b64 %r, %state; st.global.u32 [%p+4], %r;
  mbarrier.arrive_drop.shared.b64 %state, [%b];
  mbarrier.pending_count.b64 %r, %state; st.global.u32 [%p+8], %r;
  mbarrier.test_wait.shared.b64 %d, [%b], %state;
  selp.u32 %r, 1, 0, %d; st.global.u32 [%p+12], %r;
  mbarrier.arrive.shared.b64 _, [%b];
  mbarrier.test_wait.shared.b64 %d, [%b], %state;
  selp.u32 %r, 1, 0, %d; st.global.u32 [%p+16], %r;
  mbarrier.arrive.noComplete.shared.b64 %state, [%b], 2; // Four are left.
  mbarrier.pending_count.b64 %r, %state; st.global.u32 [%p+20], %r;
  cp.async.mbarrier.arrive.shared.b64 [%b];
  cp.async.mbarrier.arrive.noinc.shared.b64 [%b];
  mbarrier.arrive.expect_tx.shared.b64 %state, [%b], 64;
  mbarrier.test_wait.shared.b64 %d, [%b], %state;
  selp.u32 %r, 1, 0, %d; st.global.u32 [%p+24], %r;
  mbarrier.complete_tx.shared.b64 [%b], 64;
  mbarrier.test_wait.shared.b64 %d, [%b], %state;
  selp.u32 %r, 1, 0, %d; st.global.u32 [%p+28], %r;)",
                 p, 1);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 8),
            (std::vector<uint32_t>{1, 5, 2, 0, 1, 4, 0, 1}));
}

TEST_F(AsyncTest, BulkCopies) {
  std::vector<uint32_t> v(256);
  for (uint32_t k = 0; k < 256; ++k)
    v[k] = k * 3;
  uint64_t p = upload(v);
  std::string there = kInit + R"(
  @%c mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%b], 512;
  @%c cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
        [%s], [%p], 512, [%b];
  mbarrier.arrive.shared.b64 %state, [%b];
W: mbarrier.try_wait.shared.b64 %d, [%b], %state; @!%d bra W;
  shl.b32 %r, %i, 2; add.u32 %r, %r, %s; ld.shared.u32 %u, [%r];
  add.u32 %u, %u, 1; st.shared.u32 [%r], %u;
  fence.proxy.async.shared::cta; bar.sync 0;)";
  Status s = run(there + R"(
  @%c cp.async.bulk.global.shared::cta.bulk_group [%p+512], [%s], 256;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
  cp.async.bulk.prefetch.L2.global [%p], 256;)",
                 p, 64);
  ASSERT_TRUE(s.ok()) << s.text;
  auto r = download<uint32_t>(p, 256);
  for (uint32_t k = 0; k < 64; ++k)
    EXPECT_EQ(r[128 + k], 3 * k + 1);
  EXPECT_EQ(r[192], v[192]);
  // Faults: size, alignment, bounds on either side.
  for (auto [copy, kind] : {
           std::pair{"[%p], [%s], 20", ErrorKind::IllegalInstruction},
           std::pair{"[%p+4], [%s], 16", ErrorKind::MisalignedAddress},
           std::pair{"[%p+768], [%s], 512", ErrorKind::IllegalAddress},
           std::pair{"[%p], [%s+256], 512", ErrorKind::IllegalAddress},
       }) {
    device->resetSticky();
    s = run(std::string("cp.async.bulk.global.shared::cta.bulk_group ") + copy +
                ";",
            p, 1);
    EXPECT_EQ(s.kind, kind) << copy << ": " << s.text;
  }
}

TEST_F(AsyncTest, BulkZeros) {
  uint64_t p = alloc(16);
  Status s = run(R"(
  st.shared.v2.u32 [%s+16], {5, 6}; st.shared.v2.u32 [%s+24], {7, 8};
  st.bulk.weak.shared::cta [%s+16], 8, 0;
  ld.shared.v2.u32 {%r, %u}, [%s+16]; st.global.v2.u32 [%p], {%r, %u};
  ld.shared.v2.u32 {%r, %u}, [%s+24]; st.global.v2.u32 [%p+8], {%r, %u};)",
                 p, 1);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 4), (std::vector<uint32_t>{0, 0, 7, 8}));
  for (auto [code, kind] :
       {std::pair{"st.bulk.shared::cta [%s], 12, 0;",
                  ErrorKind::IllegalInstruction},
        std::pair{"st.bulk.weak.shared::cta [%s+508], 16, 0;",
                  ErrorKind::MisalignedAddress},
        std::pair{"st.bulk.weak.shared::cta [%s+504], 16, 0;",
                  ErrorKind::IllegalAddress}}) {
    device->resetSticky();
    EXPECT_EQ(run(code, p, 1).kind, kind) << code;
  }
}

TEST_F(AsyncTest, IgnoredSource) {
  std::vector<uint32_t> v(4, 9);
  uint64_t p = upload(v);
  Status s = run(R"(
  st.shared.u32 [%s], 7; st.shared.u32 [%s+4], 7; setp.eq.u32 %c, %i, 0;
  cp.async.ca.shared.global [%s], [%p], 4, %c;
  cp.async.ca.shared.global.L2::128B [%s+4], [%p], 4, !%c;
  cp.async.wait_all;
  ld.shared.u32 %r, [%s]; st.global.u32 [%p+8], %r;
  ld.shared.u32 %r, [%s+4]; st.global.u32 [%p+12], %r;)",
                 p, 1);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p + 8, 2), (std::vector<uint32_t>{0, 9}));
}

TEST_F(AsyncTest, MisuseOfMbarriers) {
  for (auto [code, text] : {
           std::pair{"mbarrier.arrive.shared.b64 %state, [%b];",
                     "not initialized"},
           std::pair{"mbarrier.try_wait.parity.shared.b64 %c, [%b], 0;",
                     "not initialized"},
           std::pair{"mbarrier.init.shared.b64 [%b], 0;", "count"},
           std::pair{"mbarrier.init.shared.b64 [%b], 1;"
                     "mbarrier.arrive.shared.b64 %state, [%b], 2;",
                     "more arrivals"},
           std::pair{"mbarrier.init.b64 [%p], 1;", "not in shared memory"},
           std::pair{"mbarrier.init.shared.b64 [%b+4], 1;", "multiple of 8"},
           std::pair{"mbarrier.init.shared.b64 [%b], 1;"
                     "mbarrier.inval.shared.b64 [%b];"
                     "mbarrier.arrive.shared.b64 %state, [%b];",
                     "not initialized"},
       }) {
    device->resetSticky();
    Status s = run(code, alloc(8), 1);
    EXPECT_TRUE(s.isSticky()) << code;
    EXPECT_NE(s.text.find(text), std::string::npos) << code << s.text;
    EXPECT_NE(s.text.find("thread (0, 0, 0)"), std::string::npos) << s.text;
  }
}

TEST_F(AsyncTest, NotImplemented) {
  // As written, and how the message names it when that is not the same.
  for (const char *code : {
           "wgmma.fence.sync.aligned",
           "wgmma.commit_group.sync.aligned",
           "wgmma.wait_group.sync.aligned 0",
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
           "{%f0, %f1, %f2, %f3}, %q, %q, 1, 1, 1, 0, 0",
           "st.async.release.global.b32 [%p], %r1",
           "red.async.relaxed.cluster.global.mbarrier::complete_tx::bytes"
           ".add.u32 [%r0], %r1, [%r2]",
           "cp.async.bulk.tensor.1d.shared::cluster.global.tile"
           ".mbarrier::complete_tx::bytes [%r0], [%p, {%r1}], [%r2]",
           "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
           "[%p, {%r1, %r2}], [%r0]",
           "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%p, {%r1}]",
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
           ".multicast::cluster [%r0], [%p], %r1, [%r2], %h0",
           "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%p], "
           "[%r0], %r1",
           "tensormap.replace.tile.global_address.global.b1024.b64 [%p], %q",
           "multimem.ld_reduce.global.add.u32 %r0, [%p]",
           "cvt.rs.satfinite.e4m3x4.f32 %r0, {%f0, %f1, %f2, %f3}, %r1",
           "add.f99 %f0, %f1, %f2",
           "tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%p, {%f0, %f0, %f0, "
           "%f0}]",
           "txq.width.b32 %r0, [%p]",
           "sust.p.1d.b32.trap [%p, {%r0}], %r1",
           "vadd.s32.s32.s32 %r0, %r1, %r2",
           "alloca.u32 %r0, 16",
       }) {
    std::string text = code;
    auto module = load(kHeader +
                       ".visible .entry k(.param .u64 p, .param .u32 "
                       "go) {\n  .reg .b64 %p, %q; .reg .f32 %f<4>;"
                       " .reg .b16 %h<4>;\n  .reg .b32 %r<4>; .reg "
                       ".pred %c;\n  ld.param.u64 %p, [p]; ld.param."
                       "u32 %r0, [go];\n  setp.eq.u32 %c, %r0, 0; "
                       "@%c bra OUT;\n  " +
                       text + ";\nOUT: ret;\n}\n");
    ASSERT_TRUE(module) << code;
    uint64_t p = alloc(64);
    Status s = launch(*module, "k", blocks(1, 32), p, 0u);
    EXPECT_TRUE(s.ok()) << code << ": " << s.text;
    s = launch(*module, "k", blocks(1, 32), p, 1u);
    EXPECT_EQ(s.kind, ErrorKind::NotImplemented) << code;
    EXPECT_EQ(s.text,
              "not implemented: " + text.substr(0, text.find(' ')) + " at k:9");
  }
}

} // namespace gpulto::emu::test
