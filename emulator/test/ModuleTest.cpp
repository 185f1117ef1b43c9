//===- ModuleTest.cpp - Parsing, linking, reports -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

#include <set>

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
  EXPECT_EQ(launch(*module, "other", blocks(0, 64)).kind,
            ErrorKind::EmptyGrid);
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
        "test.ptx:11\", \"accesses\": 1, \"conflicts\": 31",
        "\"shared_read\": 0, \"shared_written\": 128",
        "\"copies\": 2, \"bytes\": 128, \"redundant_copies\": 2, "
        "\"redundant_bytes\": 128",
        "{\"direction\": \"host_to_device\", \"bytes\": 64, \"copies\": 2, "
        "\"first_copy\": 1, \"launches_before\": 1}"})
    EXPECT_TRUE(contains(j, part)) << part << "\n" << j;
}

TEST_F(ModuleTest, CountersOfGenericAccessesAndCopies) {
  Options o = defaults();
  o.counters = true;
  make(o);
  auto module = load(kHeader + R"(
.visible .entry k(.param .u64 p) {
  .shared .align 16 .b8 s[4096]; .local .align 4 .b8 l[16];
  .reg .b64 %p, %q, %w; .reg .b32 %i, %j, %a; .reg .pred %c;
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mov.u32 %a, s;
  mov.u64 %w, s; cvta.shared.u64 %w, %w;
  mad.wide.u32 %q, %i, 8, %w; st.u32 [%q], %i;
  mov.u64 %w, l; cvta.local.u64 %w, %w; st.u32 [%w+4], %i;
  mad.wide.u32 %q, %i, 16, %p; mad.lo.u32 %j, %i, 16, %a;
  cp.async.ca.shared.global [%j], [%q], 16;
  setp.lt.u32 %c, %i, 16; @%c bra OUT;
  mad.wide.u32 %q, %i, 64, %p; st.global.u32 [%q], %i;
  add.u64 %q, %q, 4; st.global.u32 [%q], %i;
OUT: ret;
})");
  ASSERT_TRUE(launch(*module, "k", blocks(1, 32), alloc(4096)).ok());
  std::string j = device->countersJson();
  // Two lanes a bank in the store; the copy is by quarters of the warp.
  for (const char *part :
       {"\"global_read\": 512, \"global_written\": 128, \"shared_read\": 0, "
        "\"shared_written\": 640, \"local_read\": 0, \"local_written\": 128",
        "\"shared_bank_conflicts\": 1", "\"global_sectors\": 48",
        "\"ideal_global_sectors\": 20", "\"divergent_branches\": 1"})
    EXPECT_TRUE(contains(j, part)) << part << "\n" << j;
}

TEST_F(ModuleTest, CountersOfScatteredAccesses) {
  // Against sectors and conflicts that the test counts itself; each address
  // pattern twice, since what was counted last is remembered.
  Options o = defaults();
  o.counters = true;
  auto module = [&] {
    make(o);
    return load(kHeader + R"(
.visible .entry k(.param .u64 p, .param .u64 at) {
  .shared .align 16 .b8 s[8192]; .reg .b64 %p, %q, %t; .reg .b32 %i, %j, %r, %n;
  .reg .pred %c;
  ld.param.u64 %p, [p]; ld.param.u64 %t, [at]; mov.u32 %i, %tid.x;
  mov.u32 %n, 0; mad.wide.u32 %t, %i, 4, %t;
L: ld.global.u32 %r, [%t]; cvt.u64.u32 %q, %r; add.u64 %q, %q, %p;
  mov.u32 %j, s; add.u32 %j, %j, %r;
  setp.eq.u32 %c, %r, 1; @%c bra SKIP;
  ld.global.u32 %r, [%q]; ld.shared.u32 %r, [%j];
SKIP: add.u64 %t, %t, 128; add.u32 %n, %n, 1; setp.lt.u32 %c, %n, 64;
  @%c bra L; ret;
})");
  }();
  std::vector<uint32_t> at(64 * 32);
  uint64_t sectors = 0, conflicts = 0, seed = 1;
  for (unsigned n = 0; n < 64; ++n) {
    std::set<uint64_t> touched, words;
    unsigned perBank[32] = {}, most = 1;
    for (unsigned l = 0; l < 32; ++l) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      uint32_t &a = at[n * 32 + l];
      a = n % 2 ? at[n * 32 + l - 32] // The same, moved by a word.
                : static_cast<uint32_t>(seed >> 33) % 1024 * 4;
      if (n % 2 && a != 1)
        a += 4;
      if (n % 2 == 0 && n % 3 == 0 && seed >> 60 < 4)
        a = 1; // Does not take part.
      if (a == 1)
        continue;
      touched.insert(a / 32);
      if (words.insert(a / 4).second)
        most = std::max(most, ++perBank[a / 4 % 32]);
    }
    sectors += touched.size() + 4; // And the load of the address.
    conflicts += most - 1;
  }
  Status s = launch(*module, "k", blocks(1, 32), alloc(8192), upload(at));
  ASSERT_TRUE(s.ok()) << s.text;
  std::string j = device->countersJson();
  for (std::string part :
       {"\"global_sectors\": " + std::to_string(sectors),
        "\"shared_bank_conflicts\": " + std::to_string(conflicts)})
    EXPECT_TRUE(contains(j, part + ",") || contains(j, part + "\n"))
        << part << "\n"
        << j;
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
  // A barrier of the warp is not enough, nor is a fence.
  EXPECT_FALSE(race("bar.warp.sync -1;").empty());
  EXPECT_FALSE(race("membar.cta;").empty());
}

TEST_F(ModuleTest, SharedRacesWithinAWarp) {
  // Every lane writes a word, then reads its neighbor's.
  auto race = [&](const char *middle) {
    Options o = defaults();
    o.checkRaces = true;
    make(o);
    auto module = load(kHeader + std::string(R"(
.visible .entry k() {
  .shared .align 4 .b8 s[512]; .reg .b32 %i, %j, %r, %a, %x; .reg .pred %c;
  mov.u32 %i, %tid.x; mov.u32 %a, s; shl.b32 %j, %i, 2; add.u32 %j, %j, %a;
  setp.lt.u32 %c, %i, 9; st.shared.u32 [%j], %i;
  )") + middle + R"(
  xor.b32 %j, %i, 1; shl.b32 %j, %j, 2; add.u32 %j, %j, %a;
  ld.shared.u32 %r, [%j]; ret;
})");
    EXPECT_TRUE(launch(*module, "k", blocks(1, 64)).ok());
    return device->raceReports();
  };
  EXPECT_FALSE(race("").empty());
  EXPECT_TRUE(race("bar.warp.sync -1;").empty());
  EXPECT_TRUE(race("bar.sync 0;").empty());
  // Lanes that come to the barrier one group after the other.
  EXPECT_TRUE(race("@%c bra A; add.u32 %x, %i, 1; bar.warp.sync -1; bra B;"
                   "A: bar.warp.sync -1; B:")
                  .empty());
  // A shuffle brings the lanes together but does not order memory.
  EXPECT_FALSE(race("shfl.sync.bfly.b32 %x, %i, 1, 31, -1;").empty());
}

TEST_F(ModuleTest, NoRacesOfAtomicsAndMbarriers) {
  Options o = defaults();
  o.checkRaces = true;
  make(o);
  auto module = load(kHeader + R"(
.visible .entry k() {
  .shared .align 8 .b8 s[1024]; .reg .b32 %i, %j, %r, %a, %n; .reg .pred %c;
  .reg .b64 %t;
  mov.u32 %i, %tid.x; mov.u32 %a, s; mov.u32 %n, %ntid.x;
  setp.eq.u32 %c, %i, 0; @%c mbarrier.init.shared.b64 [%a], %n; bar.sync 0;
  atom.shared.add.u32 %r, [%a+8], 1;
  shl.b32 %j, %i, 2; add.u32 %j, %j, %a; st.shared.u32 [%j+16], %i;
  mbarrier.arrive.shared.b64 %t, [%a];
W: mbarrier.try_wait.shared.b64 %c, [%a], %t; @!%c bra W;
  xor.b32 %j, %i, 33; shl.b32 %j, %j, 2; add.u32 %j, %j, %a;
  ld.shared.u32 %r, [%j+16]; ret;
})");
  EXPECT_TRUE(launch(*module, "k", blocks(1, 128)).ok());
  EXPECT_EQ(device->raceReports(), std::vector<std::string>());
}

TEST_F(ModuleTest, InstructionLimit) {
  Options o = defaults();
  o.maxWarpInstructions = 1000000;
  make(o);
  auto module = load(kHeader + ".visible .entry k() { L: bra L; }");
  Status s = launch(*module, "k", blocks(1, 1));
  EXPECT_EQ(s.kind, ErrorKind::InstructionLimit);
  EXPECT_TRUE(contains(s.text, "ran 1000000 warp instructions")) << s.text;
  EXPECT_TRUE(contains(s.text, "bra at test.ptx:4 in kernel k")) << s.text;
}

TEST_F(ModuleTest, InstructionLimitIsExact) {
  // Three instructions a round, then the return; four blocks of two warps.
  std::string code = kHeader + R"(.visible .entry k() {
  .reg .b32 %n; .reg .pred %c; mov.u32 %n, 0;
L: add.u32 %n, %n, 1; setp.lt.u32 %c, %n, 100; @%c bra L; ret; })";
  constexpr uint64_t kTotal = 8 * (1 + 300 + 1);
  for (uint64_t limit : {kTotal, kTotal - 1, kTotal / 2, uint64_t(3)}) {
    Options o = defaults();
    o.threads = 0;
    o.maxWarpInstructions = limit;
    make(o);
    auto module = load(code);
    Status s = launch(*module, "k", blocks(4, 64));
    EXPECT_EQ(s.ok(), limit >= kTotal - 1) << limit << s.text;
  }
  // A grid without branches is stopped between its blocks.
  Options o = defaults();
  o.maxWarpInstructions = 5000;
  make(o);
  auto module = load(kHeader + ".visible .entry k() { ret; }");
  EXPECT_EQ(launch(*module, "k", blocks(10000, 32)).kind,
            ErrorKind::InstructionLimit);
}

} // namespace
TEST_F(ModuleTest, LabelThatIsARegister) {
  auto module = load(kHeader + ".visible .entry k() { .reg .b32 %r<9>, L;\n"
                               "  bra E; L: ret; E: ret; }\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->decodeAll().kind, ErrorKind::InvalidPtx);
}

} // namespace gpulto::emu::test
