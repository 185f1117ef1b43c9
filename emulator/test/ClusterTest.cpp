//===- ClusterTest.cpp - Clusters and distributed shared memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {

class ClusterTest : public EmuTest {
protected:
  /// A kernel with %p its parameter, %i the thread, %c the block, %r its rank,
  /// %n the blocks of its cluster, %s the offset of 1024 bytes of shared
  /// memory.
  static std::string kernel(const std::string &code,
                            const std::string &directives = "") {
    return kHeader + ".visible .entry k(.param .u64 p) " + directives + R"( {
  .shared .align 16 .b8 sh[1024]; .reg .b64 %p, %q, %g, %state;
  .reg .pred %b, %d; .reg .b32 %i, %c, %r, %n, %s, %t, %u, %v, %w;
  ld.param.u64 %p, [p]; mov.u32 %i, %tid.x; mov.u32 %c, %ctaid.x;
  mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank;
  mov.u32 %s, sh; mov.u32 %t, %ntid.x; mad.lo.u32 %t, %c, %t, %i;
  mad.wide.u32 %q, %t, 4, %p;
)" + code + "\n  ret;\n}\n";
  }
  static LaunchConfig clusters(uint32_t grid, uint32_t block, uint32_t size) {
    LaunchConfig c = blocks(grid, block);
    c.cluster = {size, 1, 1};
    return c;
  }
  Status run(const std::string &code, uint64_t p, const LaunchConfig &config) {
    auto module = load(kernel(code));
    return module ? launch(*module, "k", config, p)
                  : Status{ErrorKind::InvalidPtx, "load"};
  }
};

static const std::string kSync =
    "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire"
    ".aligned;";

TEST_F(ClusterTest, SpecialRegisters) {
  const char *const names[] = {
      "%clusterid.x",      "%clusterid.y",      "%clusterid.z",
      "%nclusterid.x",     "%nclusterid.y",     "%nclusterid.z",
      "%cluster_ctaid.x",  "%cluster_ctaid.y",  "%cluster_ctaid.z",
      "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z",
      "%cluster_ctarank",  "%cluster_nctarank"};
  std::string code = "mov.u32 %t, %ctaid.y; mov.u32 %u, %ctaid.z;"
                     "mad.lo.u32 %t, %u, 6, %t; mad.lo.u32 %t, %t, 4, %c;"
                     "mad.wide.u32 %q, %t, 64, %p;";
  for (unsigned k = 0; k < 14; ++k)
    code += std::string("mov.u32 %t, ") + names[k] + "; st.global.u32 [%q+" +
            std::to_string(4 * k) + "], %t;";
  code += "mov.pred %b, %is_explicit_cluster; selp.u32 %t, 1, 0, %b;"
          "st.global.u32 [%q+56], %t;";
  auto module = load(kernel(code));
  for (std::array<uint32_t, 3> size :
       {std::array<uint32_t, 3>{2, 3, 1}, std::array<uint32_t, 3>{4, 1, 2},
        std::array<uint32_t, 3>{1, 1, 1}, std::array<uint32_t, 3>{0, 0, 0}}) {
    LaunchConfig config = blocks(4, 1);
    config.grid = {4, 6, 2};
    config.cluster = size;
    uint64_t p = alloc(48 * 64);
    Status s = launch(*module, "k", config, p);
    ASSERT_TRUE(s.ok()) << s.text;
    auto v = download<uint32_t>(p, 48 * 16);
    std::array<uint32_t, 3> n =
        size[0] ? size : std::array<uint32_t, 3>{1, 1, 1};
    for (uint32_t b = 0; b < 48; ++b) {
      uint32_t at[3] = {b % 4, b / 4 % 6, b / 24}, grid[3] = {4, 6, 2};
      std::vector<uint32_t> want;
      for (unsigned k = 0; k < 3; ++k)
        want.push_back(at[k] / n[k]);
      for (unsigned k = 0; k < 3; ++k)
        want.push_back(grid[k] / n[k]);
      for (unsigned k = 0; k < 3; ++k)
        want.push_back(at[k] % n[k]);
      for (unsigned k = 0; k < 3; ++k)
        want.push_back(n[k]);
      want.push_back(at[0] % n[0] +
                     n[0] * (at[1] % n[1] + n[1] * (at[2] % n[2])));
      want.push_back(n[0] * n[1] * n[2]);
      want.push_back(size[0] != 0);
      want.push_back(0);
      EXPECT_EQ(
          std::vector<uint32_t>(v.begin() + b * 16, v.begin() + b * 16 + 16),
          want)
          << "block " << b;
    }
  }
}

// Every block writes, and reads what the next one wrote; by each kind of
// address. The second barrier keeps blocks until all have read.
TEST_F(ClusterTest, ReadsOfTheNeighbour) {
  std::string begin = "shl.b32 %t, %i, 2; add.u32 %u, %t, %s;"
                      "mad.lo.u32 %v, %c, 1000, %i; st.shared.u32 [%u], %v;" +
                      kSync + "add.u32 %w, %r, 1; rem.u32 %w, %w, %n;";
  for (std::string read :
       {"mapa.shared::cluster.u32 %u, %u, %w; ld.shared::cluster.u32 %v, [%u];",
        "mapa.shared::cluster.u32 %u, sh, %w; add.u32 %u, %u, %t;"
        "ld.shared::cluster.u32 %v, [%u];",
        "cvt.u64.u32 %g, %u; cvta.shared.u64 %g, %g; mapa.u64 %g, %g, %w;"
        "ld.u32 %v, [%g];",
        "cvt.u64.u32 %g, %u; mapa.shared::cluster.u64 %g, %g, %w;"
        "cvta.shared::cluster.u64 %g, %g; ld.u32 %v, [%g];",
        "mapa.shared::cluster.u32 %u, %u, %w; mapa.shared::cluster.u32 %u, %u, "
        "%r; mapa.shared::cluster.u32 %u, %u, %w; ld.shared.u32 %v, [%u];"}) {
    uint64_t p = alloc(16 * 64 * 4);
    Status s = run(begin + read + kSync + "st.global.u32 [%q], %v;", p,
                   clusters(16, 64, 8));
    ASSERT_TRUE(s.ok()) << s.text;
    auto v = download<uint32_t>(p, 16 * 64);
    for (uint32_t b = 0; b < 16; ++b)
      for (uint32_t i = 0; i < 64; ++i)
        EXPECT_EQ(v[b * 64 + i], (b / 8 * 8 + (b + 1) % 8) * 1000 + i) << read;
  }
}

TEST_F(ClusterTest, WritesAndAtomics) {
  for (std::string store :
       {"mapa.shared::cluster.u32 %u, %s, 0;"
        "atom.relaxed.cluster.shared::cluster.add.u32 %v, [%u], 1;"
        "red.shared::cluster.add.u32 [%u+4], %r;",
        "cvt.u64.u32 %g, %s; cvta.shared.u64 %g, %g; mapa.u64 %g, %g, 0;"
        "atom.add.u32 %v, [%g], 1; red.add.u32 [%g+4], %r;"}) {
    for (unsigned threads : {1u, 4u})
      for (uint64_t seed : {0, 5}) {
        Options options = defaults();
        options.threads = threads;
        options.scheduleSeed = seed;
        make(options);
        uint64_t p = alloc(400 * 32 * 4);
        // The last block of the cluster stores a word in the first one, too.
        Status s =
            run("st.shared.u32 [%s+8], 0;" + kSync + store +
                    "sub.u32 %w, %n, 1; setp.eq.u32 %b, %r, %w;"
                    "mapa.shared::cluster.u32 %u, %s, 0;"
                    "@%b st.shared::cluster.u32 [%u+8], %c;" +
                    kSync +
                    "ld.shared.u32 %v, [%s]; ld.shared.u32 %t, [%s+4];"
                    "mad.lo.u32 %v, %t, 65536, %v; ld.shared.u32 %t, [%s+8];"
                    "mad.lo.u32 %v, %t, 0x1000000, %v; st.global.u32 [%q], %v;",
                p, clusters(400, 32, 4));
        ASSERT_TRUE(s.ok()) << s.text;
        auto v = download<uint32_t>(p, 400 * 32);
        for (uint32_t b = 0; b < 400; ++b) {
          uint32_t want = b % 4 ? 0 : 128 + 65536u * 192 + ((b + 3) << 24);
          EXPECT_EQ(v[b * 32 + 7], want) << "block " << b;
        }
      }
  }
}

TEST_F(ClusterTest, SpacesAndRanks) {
  uint64_t p = alloc(4 * 8 * 4);
  auto note = [](const std::string &pred, unsigned at) {
    return "isspacep." + pred + " %b, %g; selp.u32 %v, 1, 0, %b;" +
           "st.global.u32 [%q+" + std::to_string(at) + "], %v;";
  };
  Status s = run(
      "mad.wide.u32 %q, %c, 32, %p; cvt.u64.u32 %g, %s; cvta.shared.u64 %g, %g;"
      "getctarank.u64 %v, %g; st.global.u32 [%q], %v;"
      "add.u32 %w, %r, 1; rem.u32 %w, %w, %n; mapa.u64 %g, %g, %w;" +
          note("shared::cta", 4) + note("shared::cluster", 8) +
          note("global", 12) +
          "getctarank.u64 %v, %g; st.global.u32 [%q+16], %v;"
          "mapa.u64 %g, %g, %r;" +
          note("shared", 20) +
          "mapa.shared::cluster.u32 %u, %s, %w;"
          "getctarank.shared::cluster.u32 %v, %u; st.global.u32 [%q+24], %v;"
          "mov.u64 %g, %p;" +
          note("shared::cluster", 28),
      p, clusters(4, 1, 4));
  ASSERT_TRUE(s.ok()) << s.text;
  auto v = download<uint32_t>(p, 32);
  for (uint32_t b = 0; b < 4; ++b) {
    uint32_t next = (b + 1) % 4;
    EXPECT_EQ(std::vector<uint32_t>(v.begin() + b * 8, v.begin() + b * 8 + 8),
              (std::vector<uint32_t>{b, 0, 1, 0, next, 1, next, 0}));
  }
}

// The mbarrier of block 0 counts arrivals, bytes of st.async and red.async, and
// those of a bulk copy, of all blocks.
TEST_F(ClusterTest, RemoteMbarrier) {
  uint64_t p = alloc(64);
  Status s =
      run("setp.eq.u32 %b, %r, 0; @%b mbarrier.init.shared.b64 [%s], 4;"
          "@%b mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%s], 128;"
          "st.shared.u32 [%s+512], %r; st.shared.u32 [%s+516], 77;" +
              kSync +
              "mapa.shared::cluster.u32 %u, %s, 0; shl.b32 %t, %r, 2;"
              "add.u32 %v, %u, %t; add.u32 %w, %r, 40;"
              "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 "
              "[%v+16], %w, [%u];"
              "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 "
              "[%u+256], {%n, %n}, [%u];"
              "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx"
              "::bytes.add.u32 [%u+32], %w, [%u];"
              "shl.b32 %t, %r, 4; add.u32 %v, %u, %t; add.u32 %w, %s, 512;"
              "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx"
              "::bytes [%v+64], [%w], 16, [%u];"
              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%u];"
              "@!%b bra OUT;"
              "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %d, "
              "[%s], "
              "0; @!%d bra W;"
              "ld.shared.u32 %v, [%s+28]; st.global.u32 [%p], %v;"
              "ld.shared.u32 %v, [%s+32]; st.global.u32 [%p+4], %v;"
              "ld.shared.u32 %v, [%s+112]; st.global.u32 [%p+8], %v;"
              "ld.shared.u32 %v, [%s+116]; st.global.u32 [%p+12], %v;"
              "ld.shared.u32 %v, [%s+260]; st.global.u32 [%p+16], %v; OUT:" +
              kSync,
          p, clusters(4, 1, 4));
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 5),
            (std::vector<uint32_t>{43, 40 + 41 + 42 + 43, 3, 77, 4}));
}

TEST_F(ClusterTest, Misuse) {
  for (auto [code, kind, text] : {
           std::tuple{"barrier.cluster.wait;", ErrorKind::IllegalInstruction,
                      "did not arrive"},
           std::tuple{"barrier.cluster.arrive; barrier.cluster.arrive;",
                      ErrorKind::IllegalInstruction, "twice"},
           std::tuple{"mapa.shared::cluster.u32 %u, %s, 2;",
                      ErrorKind::IllegalInstruction,
                      "block 2 of a cluster of 2"},
           std::tuple{"mapa.u64 %g, %p, 1;", ErrorKind::InvalidAddressSpace,
                      "not one of shared memory"},
           std::tuple{"mapa.shared::cluster.u32 %u, %s, 1;"
                      "ld.shared::cluster.u32 %v, [%u+1024];",
                      ErrorKind::IllegalAddress, "of the cluster, which has 2"},
           std::tuple{"add.u32 %u, %s, 0x6000000; st.shared.u32 [%u], 1;",
                      ErrorKind::IllegalAddress, "block 2 of the cluster"},
           // Block 1 ends at once; block 0 waits for that, then reads.
           std::tuple{"setp.eq.u32 %b, %r, 1; @%b exit;"
                      "barrier.cluster.arrive; barrier.cluster.wait;"
                      "mapa.shared::cluster.u32 %u, %s, 1;"
                      "ld.shared::cluster.u32 %v, [%u];",
                      ErrorKind::IllegalAddress, "which has ended"},
           std::tuple{"setp.eq.u32 %b, %r, 1; @%b bar.sync 0, 64;"
                      "barrier.cluster.arrive; barrier.cluster.wait;",
                      ErrorKind::Deadlock, "deadlock"},
       }) {
    device->resetSticky();
    Status s = run(code, alloc(64), clusters(2, 32, 2));
    EXPECT_EQ(s.kind, kind) << code << ": " << s.text;
    EXPECT_NE(s.text.find(text), std::string::npos) << code << ": " << s.text;
  }
}

// Threads that ended are not waited for, nor those of single blocks, which are
// clusters of their own.
TEST_F(ClusterTest, BarrierWithoutEndedThreads) {
  for (uint32_t size : {0u, 1u, 4u}) {
    uint64_t p = alloc(4 * 64 * 4);
    LaunchConfig config = clusters(4, 64, size);
    if (!size)
      config.cluster = {0, 0, 0};
    Status s = run("setp.lt.u32 %b, %i, 40; @%b bra GO; exit;"
                   "GO: barrier.cluster.arrive.relaxed; add.u32 %v, %i, 3;"
                   "barrier.cluster.wait; st.global.u32 [%q], %v;"
                   "barrier.cluster.arrive; barrier.cluster.wait;",
                   p, config);
    ASSERT_TRUE(s.ok()) << s.text;
    auto v = download<uint32_t>(p, 256);
    for (uint32_t k = 0; k < 256; ++k)
      EXPECT_EQ(v[k], k % 64 < 40 ? k % 64 + 3 : 0);
  }
}

TEST_F(ClusterTest, SizesOfLaunches) {
  struct Try {
    const char *directives;
    uint32_t grid, size;
    bool nonPortable;
    ErrorKind kind;
    uint32_t blocks; ///< That ran, when it is right.
  };
  constexpr ErrorKind kBad = ErrorKind::InvalidClusterSize;
  for (const Try &t : {
           Try{"", 6, 4, false, kBad, 0},
           Try{"", 16, 16, false, kBad, 0},
           Try{"", 16, 16, true, ErrorKind::None, 16},
           Try{"", 17, 17, true, kBad, 0},
           Try{".reqnctapercluster 2", 6, 0, false, ErrorKind::None, 6},
           Try{".reqnctapercluster 2", 7, 0, false, kBad, 0},
           Try{".reqnctapercluster 2", 8, 4, false, kBad, 0},
           Try{".reqnctapercluster 2, 1, 1", 8, 2, false, ErrorKind::None, 8},
           Try{".explicitcluster", 8, 0, false, kBad, 0},
           Try{".explicitcluster", 8, 4, false, ErrorKind::None, 8},
           Try{".explicitcluster .reqnctapercluster 4", 8, 0, false,
               ErrorKind::None, 8},
           Try{".maxclusterrank 4", 8, 8, false, kBad, 0},
           Try{".maxclusterrank 4", 8, 4, false, ErrorKind::None, 8},
           Try{".blocksareclusters .reqntid 1 .reqnctapercluster 4", 3, 0,
               false, ErrorKind::None, 12},
       }) {
    auto module = load(kernel("red.global.add.u32 [%p], 1;", t.directives));
    ASSERT_TRUE(module);
    uint64_t p = alloc(64);
    LaunchConfig config = clusters(t.grid, 1, t.size);
    if (!t.size)
      config.cluster = {0, 0, 0};
    config.allowsNonPortableCluster = t.nonPortable;
    Status s = launch(*module, "k", config, p);
    EXPECT_EQ(s.kind, t.kind)
        << t.directives << " " << t.grid << ": " << s.text;
    EXPECT_EQ(download<uint32_t>(p, 1)[0], t.blocks) << t.directives;
  }
}

// Devices before sm_90 have no clusters, sm_120 has none of 16.
TEST_F(ClusterTest, SizesOfDevices) {
  for (auto [arch, two, sixteen] :
       {std::tuple{80u, false, false}, std::tuple{90u, true, true},
        std::tuple{103u, true, true}, std::tuple{120u, true, false}}) {
    Options options = defaults();
    options.limits = limitsOf(arch);
    make(options);
    for (auto [size, ok] : {std::pair{2u, two}, std::pair{16u, sixteen}}) {
      LaunchConfig config = clusters(16, 1, size);
      config.allowsNonPortableCluster = true;
      Status s = run("", alloc(64), config);
      EXPECT_EQ(s.kind, ok ? ErrorKind::None : ErrorKind::InvalidClusterSize)
          << arch << " " << size;
    }
  }
}

} // namespace gpulto::emu::test
