//===- ModuleTest.cpp - Parsing, linking, reports -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {
namespace {

class ModuleTest : public EmuTest {
protected:
  Status loadError(std::vector<PtxSource> sources) {
    Status status;
    auto module = device->loadModule(std::move(sources), status);
    EXPECT_FALSE(module);
    return status;
  }
  static bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(ModuleTest, LinksSources) {
  Status status;
  auto module = device->loadModule({{"a.ptx", kHeader + R"(
.extern .func (.param .b32 r) helper(.param .b32 x);
.extern .global .align 4 .b32 value;
.weak .global .align 4 .u32 shared_weak = 5;
.common .global .align 4 .b8 room[8];
.visible .entry k(.param .u64 p) {
  .reg .b64 %p; .reg .b32 %r<4>; ld.param.u64 %p, [p];
  ld.global.u32 %r0, [value];
  { .param .b32 a; .param .b32 v; st.param.b32 [a], %r0;
    call (v), helper, (a); ld.param.b32 %r1, [v]; }
  ld.global.u32 %r2, [shared_weak]; add.u32 %r1, %r1, %r2;
  st.global.u32 [%p], %r1; ret;
})"},
                                    {"b.ptx", kHeader + R"(
.visible .global .align 4 .u32 value = 20;
.weak .global .align 4 .u32 shared_weak = 6;
.common .global .align 4 .b8 room[32];
.global .align 4 .u32 mine = 100;
.visible .func (.param .b32 r) helper(.param .b32 x) {
  .reg .b32 %r<4>; ld.param.u32 %r0, [x]; ld.global.u32 %r1, [mine];
  add.u32 %r0, %r0, %r1; st.param.b32 [r], %r0; ret;
})"}},
                                   status);
  ASSERT_TRUE(module) << status.text;
  uint64_t p = alloc(4);
  Status s = launch(*module, "k", blocks(1, 1), p);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 1)[0], 125u);
  EXPECT_EQ(module->findVariable("room")->sizeBytes, 32u);
}

TEST_F(ModuleTest, LinkErrors) {
  Status s =
      loadError({{"a.ptx", kHeader + ".extern .global .align 4 .u32 gone;\n"}});
  EXPECT_EQ(s.kind, ErrorKind::UnresolvedSymbol);
  EXPECT_TRUE(contains(s.text, "a.ptx:4: undefined variable gone")) << s.text;
  s = loadError({{"a.ptx", kHeader + ".visible .global .u32 x;\n"},
                 {"b.ptx", kHeader + ".visible .global .u32 x;\n"}});
  EXPECT_EQ(s.kind, ErrorKind::DuplicateSymbol);
  EXPECT_TRUE(contains(s.text, "first defined at a.ptx:4")) << s.text;
}

TEST_F(ModuleTest, MalformedSources) {
  for (const char *text :
       {"", "hello", ".version 8.5\n.target sm_90\n.entry",
        ".version 8.5\n.entry k() {", ".version 8.5\n.global .u32 x = ;",
        ".version 8.5\n.global .foo x;", ".version 8.5\n.global .u32 x[",
        ".version 8.5\n.global .align 3 .u32 x;",
        ".version 8.5\n.global .u32 x[2] = {1,2,3};",
        ".version 8.5\n.entry k(.param .u32", ".version 8.5\n.entry k() { { }",
        "\x7f"
        "ELF",
        ".version 8.5\n.global .b8 x[99999999999999999999];"}) {
    Status s = loadError({{"bad.ptx", text}});
    EXPECT_EQ(s.kind, ErrorKind::InvalidPtx) << text;
    EXPECT_TRUE(contains(s.text, "bad.ptx:")) << s.text;
  }
}

TEST_F(ModuleTest, MalformedBodies) {
  for (const char *body :
       {"bra nowhere;", "add.u32 %x, %y, %z;", ".reg .b32 %r; add.u32 %r;",
        ".reg .b32 %r; add.u32 %r, %r, ;", ".reg .b64 %r; add.u32 %r, %r, 1;",
        "ld.param.u32 5, [p];", "@%p bra x;", "mov.u32;",
        ".reg .b32 %r; ld.param.u32 %r, [p+4000];", ".reg .b32 %r; call %r;",
        ".reg .b32 %r<4>; ld.global.v4.u32 {%r0, %r1}, [0];",
        ".reg .b32 %r; mov.u32 %r, nothing;"}) {
    auto module = load(kHeader + ".entry k(.param .u64 p) {\n" + body + "\n}");
    ASSERT_TRUE(module);
    Status s = module->decodeAll();
    EXPECT_EQ(s.kind, ErrorKind::InvalidPtx) << body;
    EXPECT_TRUE(contains(s.text, "test.ptx:")) << s.text;
    EXPECT_EQ(launch(*module, "k", blocks(1, 1), alloc(4)).kind,
              ErrorKind::InvalidPtx);
  }
}

TEST_F(ModuleTest, UnknownInstructionStopsWhenReached) {
  auto module = load(kHeader + R"(
.visible .entry k(.param .u64 p, .param .u32 go) {
  .reg .b32 %r<4>; .reg .pred %c; .reg .b64 %p;
  ld.param.u32 %r0, [go]; setp.eq.u32 %c, %r0, 0; @%c bra OUT;
  wgmma.fence.sync.aligned;
OUT: ret;
})");
  uint64_t p = alloc(4);
  EXPECT_TRUE(launch(*module, "k", blocks(1, 1), p, 0u).ok());
  Status s = launch(*module, "k", blocks(1, 1), p, 1u);
  EXPECT_EQ(s.kind, ErrorKind::NotImplemented);
  EXPECT_EQ(s.text, "not implemented: wgmma.fence.sync.aligned at k:8");
}

TEST_F(ModuleTest, KernelInfo) {
  auto module = load(kHeader + R"(
.visible .entry k(.param .u8 a, .param .align 16 .b8 s[20], .param .u64 p)
.maxntid 128, 2, 1
.minnctapersm 3
{
  .local .align 8 .b8 l[40]; .reg .b64 %r<9>;
  ld.param.u64 %r0, [p]; add.u64 %r1, %r0, 1; mul.lo.u64 %r2, %r1, %r0;
  st.global.u64 [%r0], %r2; ret;
}
.entry other() .reqntid 64 { ret; })");
  EXPECT_EQ(module->kernelNames(), (std::vector<std::string>{"k", "other"}));
  const KernelInfo &i = module->findKernel("k")->info();
  EXPECT_EQ(i.params.size(), 3u);
  EXPECT_EQ(i.params[1].offsetBytes, 16u);
  EXPECT_EQ(i.params[1].sizeBytes, 20u);
  EXPECT_EQ(i.params[2].offsetBytes, 40u);
  EXPECT_EQ(i.paramBytes, 48u);
  EXPECT_EQ(i.maxntid[1], 2u);
  EXPECT_EQ(i.maxThreadsPerBlock, 256u);
  EXPECT_EQ(i.minnctapersm, 3u);
  EXPECT_EQ(i.localBytes, 40u);
  EXPECT_GE(i.registers, 16u);
  EXPECT_EQ(i.targetSm, 90u);
  EXPECT_EQ(i.ptxMajor, 8u);
  Status s = launch(*module, "other", blocks(1, 32));
  EXPECT_EQ(s.kind, ErrorKind::InvalidValue);
  EXPECT_EQ(launch(*module, "other", blocks(1, 2048)).kind,
            ErrorKind::InvalidConfiguration);
  EXPECT_TRUE(launch(*module, "other", blocks(1, 64)).ok());
}

TEST_F(ModuleTest, SharedLayoutIsPerKernel) {
  auto module = load(kHeader + R"(
.shared .align 4 .b8 a[1000];
.shared .align 16 .b8 b[2000];
.func useB() { .reg .b32 %r; mov.u32 %r, b; st.shared.u32 [b+1996], %r; ret; }
.visible .entry onlyA() { st.shared.u32 [a+996], 1; ret; }
.visible .entry both() { st.shared.u32 [a], 1; call useB; ret; }
.visible .entry onlyB() { call useB; ret; })");
  EXPECT_EQ(module->findKernel("onlyA")->info().staticSharedBytes, 1000u);
  EXPECT_EQ(module->findKernel("both")->info().staticSharedBytes, 3008u);
  EXPECT_EQ(module->findKernel("onlyB")->info().staticSharedBytes, 2000u);
  for (const char *k : {"onlyA", "both", "onlyB", "both", "onlyA"})
    EXPECT_TRUE(launch(*module, k, blocks(2, 32)).ok()) << k;
}

const char kPrintf[] = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 fmt[40] = {37,100,32,37,53,46,50,102,32,37,115,32,37,99,32,37,108,108,120,32,37,37,10};
.global .align 1 .b8 str[6] = {104,101,108,108,111};
.visible .entry k() {
  .local .align 8 .b8 d[48]; .reg .b64 %q<6>; .reg .b32 %r<4>;
  mov.u32 %r0, %ctaid.x; neg.s32 %r0, %r0;
  st.local.u32 [d], %r0; mov.f64 %q0, 0d400921FB54442D18; st.local.f64 [d+8], %q0;
  cvta.global.u64 %q1, str; st.local.u64 [d+16], %q1; st.local.u32 [d+24], 65;
  mov.u64 %q2, 0x123456789a; st.local.u64 [d+32], %q2;
  mov.u64 %q3, d; cvta.local.u64 %q3, %q3; cvta.global.u64 %q4, fmt;
  { .param .b64 a; .param .b64 b; .param .b32 v; st.param.b64 [a], %q4;
    st.param.b64 [b], %q3; call (v), vprintf, (a, b); }
  ret;
})";

TEST_F(ModuleTest, Printf) {
  auto module = load(kHeader + kPrintf);
  Status s = launch(*module, "k", blocks(3, 1));
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(printed, "0  3.14 hello A 123456789a %\n"
                     "-1  3.14 hello A 123456789a %\n"
                     "-2  3.14 hello A 123456789a %\n");
}

TEST_F(ModuleTest, MallocAndFree) {
  auto module = load(kHeader + R"(
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 out, .param .u32 twice) {
  .reg .b64 %q<4>; .reg .b32 %r<4>; .reg .pred %c;
  { .param .b64 n; .param .b64 v; st.param.b64 [n], 64;
    call (v), malloc, (n); ld.param.b64 %q0, [v]; }
  st.global.u32 [%q0+60], 3; ld.u32 %r0, [%q0+60];
  ld.param.u64 %q1, [out]; st.global.u32 [%q1], %r0;
  { .param .b64 n; st.param.b64 [n], %q0; call free, (n); }
  ld.param.u32 %r1, [twice]; setp.eq.u32 %c, %r1, 0; @%c bra OUT;
  { .param .b64 n; st.param.b64 [n], %q0; call free, (n); }
OUT: ret;
})");
  uint64_t p = alloc(4);
  ASSERT_TRUE(launch(*module, "k", blocks(1, 1), p, 0u).ok());
  EXPECT_EQ(download<uint32_t>(p, 1)[0], 3u);
  EXPECT_FALSE(launch(*module, "k", blocks(1, 1), p, 1u).ok());
}

TEST_F(ModuleTest, TrapAndAssert) {
  auto module = load(kHeader + R"(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c,
                           .param .b64 d, .param .b64 e);
.global .align 1 .b8 msg[4] = {120,62,48};
.visible .entry t() { trap; }
.visible .entry a() {
  .reg .b64 %q; cvta.global.u64 %q, msg;
  { .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3;
    .param .b64 p4; st.param.b64 [p0], %q; st.param.b64 [p1], %q;
    st.param.b32 [p2], 12; st.param.b64 [p3], %q; st.param.b64 [p4], 1;
    call __assertfail, (p0, p1, p2, p3, p4); }
  ret;
})");
  EXPECT_EQ(launch(*module, "t", blocks(1, 1)).kind, ErrorKind::Trap);
  device->resetSticky();
  Status s = launch(*module, "a", blocks(1, 1));
  EXPECT_EQ(s.kind, ErrorKind::Assert);
  EXPECT_TRUE(contains(s.text, "x>0:12: x>0: block: [0,0,0], thread: [0,0,0] "
                               "Assertion `x>0` failed."))
      << s.text;
}

TEST_F(ModuleTest, CooperativeLimit) {
  auto module = load(kHeader + ".visible .entry k() { ret; }");
  const Kernel *k = module->findKernel("k");
  uint32_t perSm = device->maxBlocksPerSm(*k, 1024, 0);
  EXPECT_EQ(perSm, 2u);
  LaunchConfig c = blocks(perSm * device->limits().smCount, 1024);
  c.cooperative = true;
  EXPECT_TRUE(device->launch(*k, c, nullptr).ok());
  ++c.grid[0];
  EXPECT_EQ(device->launch(*k, c, nullptr).kind,
            ErrorKind::CooperativeTooLarge);
}

TEST_F(ModuleTest, Counters) {
  Options o = defaults();
  o.counters = true;
  std::string documents[2];
  for (std::string &document : documents) {
    make(o);
    auto module = load(kHeader + R"(
.visible .entry k(.param .u64 p) {
  .shared .align 4 .b8 s[4096];
  .reg .b64 %p, %q; .reg .b32 %i, %j, %r; .reg .pred %c;
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mad.wide.u32 %q, %i, 4, %p;
  ld.global.u32 %r, [%q];
  mad.wide.u32 %q, %i, 128, %p; st.global.u32 [%q], %r;
  shl.b32 %j, %i, 7; mov.u32 %r, s; add.u32 %j, %j, %r; st.shared.u32 [%j], %i;
  setp.lt.u32 %c, %i, 8; @%c bra A; add.u32 %i, %i, 1;
A: ret;
})");
    uint64_t p = upload(std::vector<uint32_t>(1024));
    ASSERT_TRUE(launch(*module, "k", blocks(1, 32), p).ok());
    document = device->countersJson();
    std::vector<uint8_t> host(64);
    void *d = reinterpret_cast<void *>(p);
    (void)device->copy(d, host.data(), 64, CopyDirection::HostToDevice);
    (void)device->copy(d, host.data(), 64, CopyDirection::HostToDevice);
    document = device->countersJson();
  }
  const std::string &j = documents[0];
  EXPECT_EQ(j, documents[1]);
  for (const char *part :
       {"\"kernel\": \"k\"", "\"divergent_branches\": 1",
        "\"global_sectors\": 36", "\"ideal_global_sectors\": 8",
        "\"uncoalesced_sectors\": 28", "\"shared_bank_conflicts\": 31",
        "\"global_read\": 128", "\"global_written\": 128",
        "test.ptx:10\", \"accesses\": 1, \"sectors\": 32, \"ideal\": 4",
        "\"copies\": 2, \"bytes\": 128, \"redundant_copies\": "})
    EXPECT_TRUE(contains(j, part)) << part << "\n" << j;
}

TEST_F(ModuleTest, SharedRaces) {
  auto race = [&](const char *middle) {
    Options o = defaults();
    o.checkRaces = true;
    make(o);
    auto module = load(kHeader + std::string(R"(
.visible .entry k() {
  .shared .align 4 .b8 s[512]; .reg .b32 %i, %j, %r, %a; mov.u32 %i, %tid.x;
  mov.u32 %a, s; shl.b32 %j, %i, 2; add.u32 %j, %j, %a; st.shared.u32 [%j], %i;
  )") + middle + R"(
  xor.b32 %j, %i, 33; shl.b32 %j, %j, 2; add.u32 %j, %j, %a;
  ld.shared.u32 %r, [%j]; ret;
})");
    EXPECT_TRUE(launch(*module, "k", blocks(1, 128)).ok());
    return device->raceReports();
  };
  auto reports = race("");
  ASSERT_FALSE(reports.empty());
  EXPECT_TRUE(contains(reports[0], "test.ptx:")) << reports[0];
  EXPECT_TRUE(race("bar.sync 0;").empty());
}

TEST_F(ModuleTest, InstructionLimit) {
  Options o = defaults();
  o.maxWarpInstructions = 1000000;
  make(o);
  auto module = load(kHeader + ".visible .entry k() { L: bra L; }");
  EXPECT_EQ(launch(*module, "k", blocks(1, 1)).kind,
            ErrorKind::InstructionLimit);
}

} // namespace
} // namespace gpulto::emu::test
