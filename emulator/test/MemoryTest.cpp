//===- MemoryTest.cpp - ld, st, atom, spaces, faults ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {
namespace {

class MemoryTest : public EmuTest {
protected:
  /// A kernel with one pointer in %p, the thread's number in %i.
  static std::string kernel(const std::string &body) {
    return kHeader +
           ".visible .entry k(.param .u64 p) {\n"
           "  .reg .b64 %p, %q, %l<4>; .reg .b32 %i, %r<8>;\n"
           "  .reg .b16 %h<4>; .reg .pred %c;\n"
           "  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x;\n" +
           body + "\n  ret;\n}\n";
  }
  Status run(const std::string &body, uint64_t p, uint32_t threads = 32,
             uint64_t shared = 0) {
    auto module = load(kernel(body));
    if (!module)
      return {ErrorKind::InvalidPtx, "load"};
    LaunchConfig c = blocks(1, threads);
    c.dynamicSharedBytes = shared;
    return launch(*module, "k", c, p);
  }
};

/// Loads four words, of which the last one lies behind the end of 28 bytes.
std::string loadBeyond(const std::string &pragma) {
  return "  .pragma \"" + pragma + "\";\n" + R"(
  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%p+16];
  .pragma "nounroll";
  ld.global.v2.b32 {%r1, %r4}, [%p];
  add.u32 %r4, %r4, %r3; st.global.u32 [%p], %r4;)";
}

// LLVM makes one load of three neighbors, and says that its end does not
// matter.
TEST_F(MemoryTest, UsedBytes) {
  uint64_t p = upload(std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7});
  Status s = run(loadBeyond("used_bytes_mask 0xfff"), p, 1);
  EXPECT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 4)[0], 2u + 7u);
  for (const char *mask :
       {"used_bytes_mask 0x", "used_bytes_mask 0x0", "used_bytes_mask 0xfffg"})
    EXPECT_EQ(run(loadBeyond(mask), p, 1).kind, ErrorKind::InvalidPtx) << mask;
  EXPECT_EQ(run(loadBeyond("used_bytes_mask 0x1fff"), p, 1).kind,
            ErrorKind::IllegalAddress);
}

TEST_F(MemoryTest, AllBytesAreUsed) {
  uint64_t p = upload(std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(run(loadBeyond("nounroll"), p, 1).kind, ErrorKind::IllegalAddress);
}

TEST_F(MemoryTest, WidthsAndExtension) {
  uint64_t p = upload(std::vector<uint8_t>{0x80, 0x7f, 0xff, 0x01});
  uint64_t out = alloc(64);
  auto module = load(kHeader + R"(
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b64 %a, %b, %l; .reg .b32 %r; .reg .b16 %h;
  ld.param.u64 %a, [in]; ld.param.u64 %b, [out];
  ld.global.s8 %r, [%a];      st.global.u32 [%b], %r;
  ld.global.u8 %r, [%a];      st.global.u32 [%b+4], %r;
  ld.global.s8 %h, [%a+2];    cvt.s32.s16 %r, %h; st.global.u32 [%b+8], %r;
  ld.global.s16 %l, [%a];     st.global.u64 [%b+16], %l;
  ld.global.s32 %l, [%a];     st.global.u64 [%b+24], %l;
  mov.u32 %r, 0x12345678;     st.global.u8 [%b+32], %r;
  st.global.u16 [%b+34], %r;
  ret;
})");
  Status s = launch(*module, "k", blocks(1, 1), p, out);
  ASSERT_TRUE(s.ok()) << s.text;
  auto w = download<int32_t>(out, 16);
  EXPECT_EQ(w[0], -128);
  EXPECT_EQ(w[1], 128);
  EXPECT_EQ(w[2], -1);
  auto l = download<int64_t>(out, 8);
  EXPECT_EQ(l[2], 0x7f80);
  EXPECT_EQ(l[3], 0x01ff7f80);
  auto b = download<uint8_t>(out, 64);
  EXPECT_EQ(b[32], 0x78);
  EXPECT_EQ(b[34], 0x78);
  EXPECT_EQ(b[35], 0x56);
}

TEST_F(MemoryTest, VectorsAndStrides) {
  std::vector<uint32_t> v(1024);
  for (uint32_t k = 0; k < 1024; ++k)
    v[k] = k * 3;
  uint64_t p = upload(v);
  // Reverses groups of four within each lane, lanes apart by 128 bytes.
  Status s = run("mad.wide.u32 %q, %i, 128, %p;"
                 "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%q];"
                 "st.global.v4.u32 [%q], {%r3, %r2, %r1, %r0};"
                 "ld.global.v2.u32 {%r0, _}, [%q+16];"
                 "st.global.u32 [%q+20], %r0;",
                 p);
  ASSERT_TRUE(s.ok()) << s.text;
  auto r = download<uint32_t>(p, 1024);
  for (uint32_t l = 0; l < 32; ++l) {
    for (uint32_t k = 0; k < 4; ++k)
      EXPECT_EQ(r[l * 32 + k], v[l * 32 + 3 - k]);
    EXPECT_EQ(r[l * 32 + 5], v[l * 32 + 4]);
  }
}

TEST_F(MemoryTest, SharedStaticDynamicAndGeneric) {
  auto module = load(kHeader + R"(
.extern .shared .align 8 .b8 dyn[];
.visible .entry k(.param .u64 p) {
  .reg .b64 %p, %q, %g; .reg .b32 %i, %j, %a, %r;
  .shared .align 4 .b8 fixed[256];
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x;
  shl.b32 %j, %i, 2;
  mov.u32 %a, fixed; add.u32 %a, %a, %j; st.shared.u32 [%a], %i;
  mov.u32 %a, dyn; add.u32 %a, %a, %j; add.u32 %r, %i, 1000;
  st.shared.u32 [%a], %r;
  bar.sync 0;
  sub.u32 %j, 252, %j; cvt.u64.u32 %q, %j;
  mov.u64 %g, fixed; cvta.shared.u64 %g, %g; add.u64 %g, %g, %q;
  ld.u32 %r, [%g];
  mov.u64 %g, dyn; add.u64 %g, %g, %q; cvta.shared.u64 %g, %g;
  atom.add.u32 %a, [%g], %r;
  add.u32 %r, %r, %a;
  mad.wide.u32 %q, %i, 4, %p; st.global.u32 [%q], %r;
  ret;
})");
  EXPECT_EQ(module->findKernel("k")->info().staticSharedBytes, 256u);
  EXPECT_TRUE(module->findKernel("k")->info().usesDynamicShared);
  uint64_t p = alloc(256);
  LaunchConfig c = blocks(1, 64);
  c.dynamicSharedBytes = 256;
  Status s = launch(*module, "k", c, p);
  ASSERT_TRUE(s.ok()) << s.text;
  auto r = download<uint32_t>(p, 64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(r[i], (63 - i) * 2 + 1000);
}

TEST_F(MemoryTest, LocalMemoryIsPerThread) {
  auto module = load(kHeader + R"(
.visible .entry k(.param .u64 p) {
  .local .align 16 .b8 depot[64];
  .reg .b64 %p, %q, %s, %g; .reg .b32 %i, %j, %r;
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x;
  mov.u64 %s, depot; cvta.local.u64 %g, %s;
  and.b32 %j, %i, 15; mad.wide.u32 %q, %j, 4, %s;
  st.local.u32 [%q], %i;
  mad.wide.u32 %q, %j, 4, %g;
  ld.u32 %r, [%q]; st.local.u32 [depot+60], %r; ld.u32 %r, [%g+60];
  mad.wide.u32 %q, %i, 4, %p; st.global.u32 [%q], %r;
  ret;
})");
  uint64_t p = alloc(4 * 64);
  Status s = launch(*module, "k", blocks(1, 64), p);
  ASSERT_TRUE(s.ok()) << s.text;
  auto r = download<uint32_t>(p, 64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(r[i], i);
}

TEST_F(MemoryTest, VariablesAndInitialisers) {
  auto module = load(kHeader + R"(
.visible .global .align 4 .u32 counter = 41;
.visible .global .align 8 .u64 where = generic(counter);
.visible .global .align 4 .f32 floats[3] = {0f3F800000, 2.5, 0f40400000};
.visible .const .align 2 .u16 table[4] = {1, 2, 0xffff};
.visible .global .align 1 .b8 text[4] = {104, 105, 0};
.visible .global .align 8 .u64 next[2] = {where, where+8};
.visible .entry k(.param .u64 p) {
  .reg .b64 %p, %q; .reg .b32 %r; .reg .b16 %h;
  ld.param.u64 %p, [p];
  ld.global.u64 %q, [next]; ld.global.u64 %q, [%q]; ld.u32 %r, [%q];
  add.u32 %r, %r, 1; st.global.u32 [counter], %r;
  ld.const.u16 %h, [table+4]; st.global.u16 [%p], %h;
  ret;
})");
  uint64_t p = alloc(8);
  Status s = launch(*module, "k", blocks(1, 1), p);
  ASSERT_TRUE(s.ok()) << s.text;
  const VariableInfo *v = module->findVariable("counter");
  ASSERT_TRUE(v);
  EXPECT_EQ(v->sizeBytes, 4u);
  EXPECT_EQ(download<uint32_t>(v->address, 1)[0], 42u);
  EXPECT_EQ(download<uint16_t>(p, 1)[0], 0xffff);
  EXPECT_EQ(download<float>(module->findVariable("floats")->address, 3),
            (std::vector<float>{1.0f, 2.5f, 3.0f}));
  EXPECT_EQ(download<uint64_t>(module->findVariable("next")->address, 2)[1],
            module->findVariable("where")->address + 8);
  EXPECT_FALSE(module->findVariable("nothing"));
}

TEST_F(MemoryTest, AtomicsGlobal) {
  auto check = [&](const std::string &op, const std::string &type,
                   uint32_t start, uint32_t want) {
    uint64_t p = upload(std::vector<uint32_t>{start, 0, 0, 0});
    Status s = run("add.u32 %r0, %i, 1; atom.global." + op + "." + type +
                       " %r1, [%p], %r0; red.global.add.u32 [%p+4], 1;",
                   p, 40);
    ASSERT_TRUE(s.ok()) << s.text;
    auto v = download<uint32_t>(p, 2);
    EXPECT_EQ(v[0], want) << op << type;
    EXPECT_EQ(v[1], 40u);
  };
  check("add", "u32", 5, 5 + 820);
  check("min", "u32", 5, 1);
  check("min", "s32", 0xfffffff0, 0xfffffff0);
  check("max", "s32", 0xfffffff0, 40);
  check("max", "u32", 7, 40);
  check("and", "b32", 0xff, 0);
  check("or", "b32", 0x100, 0x13f);
  check("xor", "b32", 0, 40); // 1 ^ 2 ^ ... ^ 40
  check("exch", "b32", 9, 40);
}

TEST_F(MemoryTest, AtomicsOfOtherKinds) {
  uint64_t p = upload(std::vector<uint64_t>(8, 0));
  Status s = run("atom.global.add.u64 %q, [%p], 1;"
                 "cvt.rn.f32.u32 %r0, %i; red.global.add.f32 [%p+8], %r0;"
                 "cvt.rn.f64.u32 %q, %i; red.global.add.f64 [%p+16], %q;"
                 "atom.global.inc.u32 %r1, [%p+24], 6;"
                 "atom.global.cas.b32 %r2, [%p+32], %i, 100;"
                 "mov.u32 %r3, 0x3c003c00;"
                 "red.global.add.noftz.f16x2 [%p+40], %r3;"
                 "mov.u16 %h0, 5; atom.global.cas.b16 %h1, [%p+48], 0, %h0;",
                 p);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint64_t>(p, 1)[0], 32u);
  EXPECT_EQ(download<float>(p + 8, 1)[0], 496.0f);
  EXPECT_EQ(download<double>(p + 16, 1)[0], 496.0);
  EXPECT_EQ(download<uint32_t>(p + 24, 1)[0], 32u % 7);
  EXPECT_EQ(download<uint32_t>(p + 32, 1)[0], 100u);
  EXPECT_EQ(download<uint32_t>(p + 40, 1)[0], 0x50005000u); // 32 each
  EXPECT_EQ(download<uint16_t>(p + 48, 1)[0], 5u);
}

TEST_F(MemoryTest, AtomicsInEverySpace) {
  uint64_t p = alloc(64);
  Status s =
      run("st.shared.u64 [0], 0; st.shared.u64 [8], 0; bar.sync 0;"
          "atom.shared.add.u32 %r0, [0], 1;"
          "red.relaxed.cta.shared::cta.max.u32 [4], %i;"
          "mov.u64 %q, 0; cvta.shared.u64 %q, %q;"
          "atom.acq_rel.gpu.add.u32 %r0, [%q+8], 2; red.or.b32 [%q+12], 4;"
          "atom.add.release.sys.global.u32 %r0, [%p+16], 3;"
          "red.relaxed.gpu.add.u32 [%p+20], 4;"
          "atom.exch.b32 %r1, [%p+24], 7;"
          "bar.sync 0; ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [0];"
          "st.global.v4.u32 [%p], {%r0, %r1, %r2, %r3};",
          p, 96, 64);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 7),
            (std::vector<uint32_t>{96, 95, 192, 4, 288, 384, 7}));
}

TEST_F(MemoryTest, OrdersScopesAndHints) {
  // What hints, caches and orders there are; each round adds one.
  const char *const kLoads[] = {
      "ld.global.u32",
      "ld.volatile.global.u32",
      "ld.relaxed.gpu.global.u32",
      "ld.acquire.sys.global.u32",
      "ld.acquire.cta.u32",
      "ld.global.nc.u32",
      "ld.global.ca.u32",
      "ld.global.cg.u32",
      "ld.global.cs.u32",
      "ld.global.lu.u32",
      "ld.global.cv.u32",
      "ld.global.nc.L1::no_allocate.u32",
      "ld.global.L1::evict_last.L2::128B.u32",
      "ld.weak.global.L2::256B.u32",
      "ld.global.nc.L1::no_allocate.L2::cache_hint.u32",
      "ldu.global.u32",
  };
  const char *const kStores[] = {
      "st.global.u32",          "st.volatile.global.u32",
      "st.relaxed.sys.u32",     "st.release.gpu.global.u32",
      "st.global.wb.u32",       "st.global.cg.u32",
      "st.global.cs.u32",       "st.global.wt.u32",
      "st.weak.global.u32",     "st.global.L1::no_allocate.u32",
      "st.volatile.u32",        "st.global.L1::evict_first.L2::cache_hint.u32",
      "red.global.max.u32",     "red.global.L2::cache_hint.max.u32",
      "red.release.gpu.max.u32"};
  std::string code = "createpolicy.fractional.L2::evict_first.b64 %q, 1.0;"
                     "prefetch.global.L2 [%p]; prefetchu.L1 [%p];"
                     "discard.global.L2 [%p+128], 128;"
                     "applypriority.global.L2::evict_normal [%p+128], 128;";
  uint32_t want = 0;
  auto hint = [](std::string_view op) {
    return op.find("cache_hint") == op.npos ? ";" : ", %q;";
  };
  for (std::string load : kLoads)
    for (std::string store : kStores) {
      code += load + " %r0, [%p]" + hint(load) + "add.u32 %r0, %r0, 1;" +
              store + " [%p], %r0" + hint(store) + "\n";
      ++want;
    }
  uint64_t p = alloc(512);
  Status s = run(code, p, 1);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 1)[0], want);
}

TEST_F(MemoryTest, AsynchronousCopy) {
  std::vector<uint32_t> v(64);
  for (uint32_t k = 0; k < 64; ++k)
    v[k] = k + 7;
  uint64_t p = upload(v);
  auto module = load(kHeader + R"(
.visible .entry k(.param .u64 p) {
  .shared .align 16 .b8 s[512]; .reg .b64 %p, %q; .reg .b32 %i, %a, %r;
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mov.u32 %a, s;
  mad.lo.u32 %a, %i, 16, %a; mad.wide.u32 %q, %i, 16, %p;
  cp.async.ca.shared.global [%a], [%q], 16, 8;
  cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
  ld.shared.u32 %r, [%a+4]; st.global.u32 [%q+4], %r;
  ld.shared.u32 %r, [%a+8]; st.global.u32 [%q+8], %r;
  ret;
})");
  Status s = launch(*module, "k", blocks(1, 16), p);
  ASSERT_TRUE(s.ok()) << s.text;
  auto r = download<uint32_t>(p, 64);
  EXPECT_EQ(r[5], v[5]);
  EXPECT_EQ(r[6], 0u); // Beyond the eight bytes taken.
}

// Faults. ---------------------------------------------------------------------

TEST_F(MemoryTest, OutOfBounds) {
  uint64_t p = alloc(100);
  Status s = run("mad.wide.u32 %q, %i, 4, %p; st.global.u32 [%q], %i;", p);
  EXPECT_EQ(s.kind, ErrorKind::IllegalAddress);
  EXPECT_NE(s.text.find("write of 4 bytes"), std::string::npos) << s.text;
  EXPECT_NE(s.text.find("100 bytes from the start of device memory of 100"),
            std::string::npos)
      << s.text;
  EXPECT_NE(s.text.find("thread (25, 0, 0)"), std::string::npos) << s.text;
  EXPECT_NE(s.text.find("test.ptx:"), std::string::npos) << s.text;
  EXPECT_NE(s.text.find("st.global.u32"), std::string::npos) << s.text;
  // Sticky.
  EXPECT_EQ(run("mov.u32 %r0, 1;", p).kind, ErrorKind::IllegalAddress);
  device->resetSticky();
  EXPECT_TRUE(run("mov.u32 %r0, 1;", p).ok());
}

TEST_F(MemoryTest, UseAfterFree) {
  uint64_t p = alloc(1000);
  ASSERT_TRUE(device->free(p, AllocationKind::Device).ok());
  Status s = run("ld.global.u32 %r0, [%p];", p);
  EXPECT_EQ(s.kind, ErrorKind::IllegalAddress);
  EXPECT_NE(s.text.find("freed memory"), std::string::npos) << s.text;
  EXPECT_EQ(device->free(p, AllocationKind::Device).kind,
            ErrorKind::InvalidValue);
}

TEST_F(MemoryTest, Misaligned) {
  uint64_t p = alloc(1000);
  EXPECT_EQ(run("ld.global.u32 %r0, [%p+2];", p).kind,
            ErrorKind::MisalignedAddress);
  device->resetSticky();
  EXPECT_EQ(run("ld.global.v2.u32 {%r0, %r1}, [%p+4];", p).kind,
            ErrorKind::MisalignedAddress);
}

TEST_F(MemoryTest, NullAndWild) {
  Status s = run("mov.u64 %q, 0; ld.global.u32 %r0, [%q+16];", alloc(4));
  EXPECT_EQ(s.kind, ErrorKind::IllegalAddress);
  EXPECT_NE(s.text.find("null pointer"), std::string::npos) << s.text;
  device->resetSticky();
  int onHost = 0;
  s = run("ld.u32 %r0, [%p];", reinterpret_cast<uint64_t>(&onHost));
  EXPECT_EQ(s.kind, ErrorKind::IllegalAddress);
  device->resetSticky();
  ASSERT_TRUE(device->registerHost(&onHost, sizeof(onHost)).ok());
  EXPECT_TRUE(run("st.u32 [%p], 9;", reinterpret_cast<uint64_t>(&onHost)).ok());
  EXPECT_EQ(onHost, 9);
}

TEST_F(MemoryTest, SharedOutOfBounds) {
  Status s =
      run("shl.b32 %r0, %i, 2; st.shared.u32 [%r0], %i;", alloc(4), 32, 64);
  EXPECT_EQ(s.kind, ErrorKind::IllegalAddress);
  EXPECT_NE(s.text.find("byte 64 of shared memory, of which the block has 64"),
            std::string::npos)
      << s.text;
}

/// A 32-bit address register and an offset add up modulo 2^32, in every way
/// that an access may take: consecutive, the same and scattered addresses, a
/// whole warp and a part of one, atomics, local memory.
TEST_F(MemoryTest, AddressesOf32BitsWrapAround) {
  uint64_t p = alloc(512);
  for (uint32_t threads : {32u, 7u}) {
    std::memset(reinterpret_cast<void *>(p), 0, 512);
    Status s = run(R"(
  .shared .align 16 .b8 sh[512];
  .local .align 16 .b8 lo[256];
  mov.u32 %r0, sh; mad.lo.u32 %r1, %i, 4, %r0; sub.s32 %r1, %r1, 64;
  st.shared.u32 [%r1+64], %i;
  mad.lo.u32 %r2, %i, -4, %r0; sub.s32 %r2, %r2, 128;
  atom.shared.add.u32 %r3, [%r2+512], 5;
  bar.sync 0;
  ld.shared.u32 %r4, [%r1+68];
  ld.shared.u32 %r5, [%r2+252];
  sub.s32 %r6, %r0, 4; ld.shared.u32 %r6, [%r6+12];
  add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r6;
  ld.shared.u32 %r5, [%r2+512]; add.u32 %r4, %r4, %r5;
  mov.u32 %r7, lo; sub.s32 %r7, %r7, 2048;
  st.local.u32 [%r7+2052], %i; ld.local.u32 %r5, [%r7+2052];
  mad.lo.u32 %r4, %r5, 1000, %r4;
  mad.wide.u32 %q, %i, 4, %p; st.global.u32 [%q], %r4;)",
                   p, threads);
    ASSERT_TRUE(s.ok()) << s.text;
    auto w = download<uint32_t>(p, 32);
    auto stored = [&](uint32_t word) { return word < threads ? word : 0u; };
    for (uint32_t t = 0; t < threads; ++t) {
      // 5 was added at words 96 - t; [%r2+252] is word 31 - t.
      uint32_t want = stored(t + 1) + stored(31 - t) + 2 + 5 + 1000 * t;
      EXPECT_EQ(w[t], want) << "thread " << t << " of " << threads;
    }
  }
  // The difference is still checked: a word before shared memory is not in it.
  Status s = run(".shared .align 4 .b8 sh[64]; mov.u32 %r0, sh;"
                 "sub.s32 %r0, %r0, 8; ld.shared.u32 %r1, [%r0+4];",
                 p);
  EXPECT_EQ(s.kind, ErrorKind::IllegalAddress) << s.text;
}

TEST_F(MemoryTest, WrongSpace) {
  Status s = run("mov.u64 %q, 0; cvta.shared.u64 %q, %q;"
                 "ld.global.u32 %r0, [%q];",
                 alloc(4), 32, 64);
  EXPECT_EQ(s.kind, ErrorKind::InvalidAddressSpace) << s.text;
}

TEST_F(MemoryTest, FaultsNameTheirPlace) {
  // Kernel, line, source line, block and thread of every kind of fault.
  uint64_t p = alloc(64), freed = alloc(64);
  ASSERT_TRUE(device->free(freed, AllocationKind::Device).ok());
  struct {
    const char *access;
    uint64_t pointer;
    ErrorKind kind;
  } const kFaults[] = {
      {"st.global.u32 [%p+64], 1;", p, ErrorKind::IllegalAddress},
      {"ld.global.u32 %r, [%p];", freed, ErrorKind::IllegalAddress},
      {"atom.global.add.u32 %r, [%p+2], 1;", p, ErrorKind::MisalignedAddress},
      {"ld.shared.u32 %r, [16];", p, ErrorKind::IllegalAddress},
      {"ld.local.u32 %r, [16];", p, ErrorKind::IllegalAddress},
      {"cvta.shared.u64 %q, 0; st.global.u32 [%q], 1;", p,
       ErrorKind::InvalidAddressSpace},
      {"ld.const.u32 %r, [%p];", p, ErrorKind::InvalidAddressSpace},
  };
  for (const auto &fault : kFaults) {
    device->resetSticky();
    auto module = load(kHeader + R"(.file 1 "app.cu"
.visible .entry named(.param .u64 p) {
  .reg .b64 %p, %q; .reg .b32 %r, %x, %y; .reg .pred %c, %d;
  ld.param.u64 %p, [p]; mov.u32 %x, %ctaid.y; mov.u32 %y, %tid.z;
  setp.ne.u32 %c, %x, 2; setp.ne.u32 %d, %y, 3; @%c exit; @%d exit;
  .loc 1 42 3
  )" + std::string(fault.access) +
                       "\n  ret;\n}\n");
    LaunchConfig c;
    c.grid = {1, 3, 1};
    c.block = {1, 2, 4};
    Status s = launch(*module, "named", c, fault.pointer);
    EXPECT_EQ(s.kind, fault.kind) << fault.access << s.text;
    for (const char *part : {"test.ptx:10 (app.cu:42)", "in kernel named",
                             "block (0, 2, 0), thread (0, 0, 3)"})
      EXPECT_NE(s.text.find(part), std::string::npos) << s.text;
  }
}

TEST_F(MemoryTest, WriteToConstant) {
  auto module = load(kHeader + R"(
.const .align 4 .u32 c = 1;
.visible .entry k(.param .u64 p) {
  .reg .b64 %q; cvta.const.u64 %q, c; st.u32 [%q], 2; ret;
})");
  Status s = launch(*module, "k", blocks(1, 1), alloc(4));
  EXPECT_EQ(s.kind, ErrorKind::InvalidAddressSpace);
}

TEST_F(MemoryTest, AllocationsAndCopies) {
  uint64_t p = alloc(64);
  Allocation a;
  ASSERT_TRUE(device->findAllocation(p + 63, a));
  EXPECT_EQ(a.address, p);
  EXPECT_FALSE(device->findAllocation(p + 64, a));
  EXPECT_TRUE(device->isDeviceAddress(p + 64));
  char host[65] = "0123456789";
  void *d = reinterpret_cast<void *>(p);
  EXPECT_TRUE(device->copy(d, host, 64, CopyDirection::HostToDevice).ok());
  EXPECT_FALSE(device->copy(d, host, 65, CopyDirection::HostToDevice).ok());
  EXPECT_TRUE(device->fill(d, 0x01020304, 4, 16).ok());
  EXPECT_EQ(download<uint32_t>(p, 16)[15], 0x01020304u);
  EXPECT_EQ(device->allocate(1ull << 50, AllocationKind::Device), 0u);
}

} // namespace
} // namespace gpulto::emu::test
