//===- DeviceLaunchTest.cpp - The device runtime: launches and queries ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/test/EmuTest.h"

namespace gpulto::emu::test {

namespace {

std::string declare(const char *result, const std::string &name,
                    std::initializer_list<const char *> params) {
  std::string s =
      std::string(".extern .func (.param .") + result + " r) " + name + " (";
  unsigned k = 0;
  for (const char *p : params)
    s += (k ? ", .param ." : ".param .") + std::string(p) +
         (std::strstr(p, "align") ? " p" + std::to_string(k) + "[12]"
                                  : " p" + std::to_string(k)),
        ++k;
  return s + ");\n";
}

/// The functions under the prefix by which nvcc, or others, call them.
std::string declarations(const std::string &p) {
  const char *dim = "align 4 .b8";
  return declare("b64", p + "GetParameterBuffer", {"b64", "b64"}) +
         declare("b64", p + "GetParameterBufferV2", {"b64", dim, dim, "b32"}) +
         declare("b32", p + "LaunchDevice",
                 {"b64", "b64", dim, dim, "b32", "b64"}) +
         declare("b32", p + "LaunchDeviceV2", {"b64", "b64"}) +
         declare("b32", p + "GetLastError", {}) +
         declare("b32", p + "PeekAtLastError", {}) +
         declare("b64", p + "GetErrorString", {"b32"}) +
         declare("b32", p + "StreamCreateWithFlags", {"b64", "b32"}) +
         declare("b32", p + "StreamDestroy", {"b64"}) +
         declare("b32", p + "StreamWaitEvent", {"b64", "b64", "b32"}) +
         declare("b32", p + "EventCreateWithFlags", {"b64", "b32"}) +
         declare("b32", p + "EventRecord", {"b64", "b64"}) +
         declare("b32", p + "EventDestroy", {"b64"}) +
         declare("b32", p + "MemcpyAsync",
                 {"b64", "b64", "b64", "b32", "b64"}) +
         declare("b32", p + "MemsetAsync", {"b64", "b32", "b64", "b64"}) +
         declare("b32", p + "Memset3DAsync", {"b64", "b32", "b64", "b64"}) +
         declare("b32", p + "GetDevice", {"b64"}) +
         declare("b32", p + "GetDeviceCount", {"b64"}) +
         declare("b32", p + "DeviceGetAttribute", {"b64", "b32", "b32"}) +
         declare("b32", p + "DeviceGetLimit", {"b64", "b32"}) +
         declare("b32", p + "RuntimeGetVersion", {"b64"}) +
         declare("b32", p + "Malloc", {"b64", "b64"}) +
         declare("b32", p + "Free", {"b64"}) +
         declare("b32", p + "FuncGetAttributes", {"b64", "b64"}) +
         declare("b32", p + "OccupancyMaxActiveBlocksPerMultiprocessor",
                 {"b64", "b64", "b32", "b64"});
}

} // namespace

class DeviceLaunchTest : public EmuTest {
protected:
  std::string prefix = "__cudaCDP2";

  /// A call whose result goes to %e (32 bits) or %b (64 bits). Arguments are
  /// registers or numbers, "d:1,2,3" a dim3.
  std::string
  call(const std::string &name, const char *result,
       std::initializer_list<std::pair<const char *, std::string>> arguments) {
    std::string s = "{ .param ." + std::string(result) + " r;", list;
    unsigned k = 0;
    for (const auto &[type, value] : arguments) {
      std::string p = "p" + std::to_string(k++);
      list += (list.empty() ? "" : ", ") + p;
      if (std::string(type) == "dim") {
        s += " .param .align 4 .b8 " + p + "[12];";
        size_t at = 0;
        for (unsigned d = 0; d < 3; ++d) {
          size_t end = value.find(',', at);
          s += " st.param.b32 [" + p + "+" + std::to_string(4 * d) + "], " +
               value.substr(at, end - at) + ";";
          at = end + 1;
        }
        continue;
      }
      s += std::string(" .param .") + type + " " + p + "; st.param." + type +
           " [" + p + "], " + value + ";";
    }
    s += " call (r), " + prefix + name + ", (" + list + "); ld.param." +
         result + (std::string(result) == "b64" ? " %b" : " %e") + ", [r]; }\n";
    return s;
  }

  /// Launches \p kernel(%p, value) in \p stream by the second form.
  std::string launchV2(const std::string &kernel, const std::string &value,
                       const std::string &grid = "1,1,1",
                       const std::string &block = "1,1,1",
                       const std::string &stream = "0") {
    static unsigned labels = 0;
    std::string skip = "SKIP" + std::to_string(labels++);
    return "mov.u64 %f, " + kernel + ";" +
           call("GetParameterBufferV2", "b64",
                {{"b64", "%f"}, {"dim", grid}, {"dim", block}, {"b32", "0"}}) +
           "setp.eq.u64 %c, %b, 0; mov.u32 %e, 1111; @%c bra " + skip +
           "; st.u64 [%b], %p; st.u32 [%b+8], " + value + ";" +
           call("LaunchDeviceV2", "b32", {{"b64", "%b"}, {"b64", stream}}) +
           skip + ":\n";
  }
  std::string launchV1(const std::string &kernel, const std::string &value,
                       const std::string &size = "12") {
    return "mov.u64 %f, " + kernel + ";" +
           call("GetParameterBuffer", "b64", {{"b64", "64"}, {"b64", size}}) +
           "st.u64 [%b], %p;" +
           (size == "12" ? "st.u32 [%b+8], " + value + ";" : std::string()) +
           call("LaunchDevice", "b32",
                {{"b64", "%f"},
                 {"b64", "%b"},
                 {"dim", "1,1,1"},
                 {"dim", "1,1,1"},
                 {"b32", "0"},
                 {"b64", "0"}});
  }

  /// A kernel named \p name with parameters p and v (in %p and %v); %i is the
  /// thread of the grid.
  static std::string kernel(const std::string &name, const std::string &code) {
    return ".visible .entry " + name +
           "(.param .u64 p, .param .u32 v) {\n"
           "  .local .align 8 .b8 room[256]; .reg .b64 %p, %q, %f, %b, %a, %g;"
           " .reg .b32 %v, %i, %e, %t, %u; .reg .pred %c;\n"
           "  ld.param.u64 %p, [p]; ld.param.u32 %v, [v]; mov.u32 %i, %tid.x;"
           " mov.u32 %t, %ctaid.x; mov.u32 %u, %ntid.x;"
           " mad.lo.u32 %i, %t, %u, %i; mov.u64 %g, room;"
           " cvta.local.u64 %a, %g;\n" +
           code + "  ret;\n}\n";
  }

  /// Appends %v to the list whose length is at [%p].
  static std::string append() {
    return kernel("note", "atom.add.u32 %t, [%p], 1; add.u32 %t, %t, 1;"
                          "mad.wide.u32 %q, %t, 4, %p; st.u32 [%q], %v;\n");
  }

  /// Runs kernel "parent" and returns what was noted.
  std::vector<uint32_t> notes(const std::string &kernels, uint32_t grid = 1,
                              uint32_t block = 1) {
    auto module = load(kHeader + declarations(prefix) + append() + kernels);
    if (!module)
      return {};
    uint64_t p = alloc(4096);
    Status s = launch(*module, "parent", blocks(grid, block), p, 0u);
    EXPECT_TRUE(s.ok()) << s.text;
    auto v = download<uint32_t>(p, 1024);
    return {v.begin() + 1, v.begin() + 1 + std::min(v[0], 1000u)};
  }
  static std::string store(unsigned at, const char *reg = "%e") {
    return "st.global.u32 [%p+" + std::to_string(at) + "], " + reg + ";";
  }
};

using Numbers = std::vector<uint32_t>;

TEST_F(DeviceLaunchTest, BothForms) {
  for (const char *names : {"__cudaCDP2", "cuda"}) {
    prefix = names;
    EXPECT_EQ(
        notes(kernel("parent", launchV2("note", "5") + launchV1("note", "6"))),
        (Numbers{5, 6}));
  }
}

// Each child is followed by what it started; tail launches come at the end of
// the grid that made them.
TEST_F(DeviceLaunchTest, Order) {
  std::string note = "{ .reg .b32 %x; .reg .b64 %y;"
                     "atom.add.u32 %x, [%p], 1; add.u32 %x, %x, 1;"
                     "mad.wide.u32 %y, %x, 4, %p; st.u32 [%y], %v; }\n";
  std::string kernels =
      kernel("leaf", note) +
      kernel("child", note + launchV2("leaf", "21", "1,1,1", "1,1,1", "3") +
                          launchV2("leaf", "20")) +
      kernel("parent", launchV2("leaf", "99", "1,1,1", "1,1,1", "3") +
                           launchV2("child", "1") +
                           launchV2("leaf", "2", "1,1,1", "1,1,1", "4") +
                           launchV2("leaf", "3", "1,1,1", "1,1,1", "2") + note);
  EXPECT_EQ(notes(kernels), (Numbers{0, 1, 20, 21, 2, 3, 99}));
}

TEST_F(DeviceLaunchTest, ManyThreadsAndBlocks) {
  for (unsigned threads : {1u, 4u}) {
    Options options = defaults();
    options.threads = threads;
    make(options);
    auto module =
        load(kHeader + declarations(prefix) +
             kernel("child", "mad.lo.u32 %t, %v, 8, %i;"
                             "mad.wide.u32 %q, %t, 4, %p;"
                             "add.u32 %t, %t, 1; st.u32 [%q], %t;") +
             kernel("parent", launchV2("child", "%i", "2,1,1", "4,1,1")));
    ASSERT_TRUE(module);
    uint64_t p = alloc(8 * 300 * 4);
    Status s = launch(*module, "parent", blocks(3, 100), p, 0u);
    ASSERT_TRUE(s.ok()) << s.text;
    auto v = download<uint32_t>(p, 2400);
    for (uint32_t k = 0; k < 2400; ++k)
      ASSERT_EQ(v[k], k + 1);
  }
}

// A kernel that launches itself into the tail stream, many times.
TEST_F(DeviceLaunchTest, LongChain) {
  auto module = load(
      kHeader + declarations(prefix) +
      kernel("parent", "add.u32 %v, %v, 1; st.u32 [%p], %v;"
                       "setp.ge.u32 %c, %v, 5000; @%c bra END;" +
                           launchV2("parent", "%v", "1,1,1", "1,1,1", "3") +
                           "END:"));
  uint64_t p = alloc(64);
  Status s = launch(*module, "parent", blocks(1, 1), p, 0u);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 1)[0], 5000u);
}

TEST_F(DeviceLaunchTest, EndlessChainEndsAtTheLimit) {
  Options options = defaults();
  options.maxWarpInstructions = 10000;
  make(options);
  auto module =
      load(kHeader + declarations(prefix) +
           kernel("parent", launchV2("parent", "0", "2,1,1", "1,1,1", "3")));
  Status s = launch(*module, "parent", blocks(1, 1), alloc(64), 0u);
  EXPECT_EQ(s.kind, ErrorKind::InstructionLimit) << s.text;
}

TEST_F(DeviceLaunchTest, Errors) {
  auto module = load(
      kHeader + declarations(prefix) + append() +
      ".visible .func none() { ret; }\n" +
      ".visible .entry clustered(.param .u64 p, .param .u32 v) "
      ".explicitcluster { ret; }\n" +
      ".visible .entry bounded(.param .u64 p, .param .u32 v) .maxntid 32 "
      "{ ret; }\n" +
      kernel("parent",
             launchV2("note", "1", "0,1,1") + store(64) +
                 launchV2("note", "1", "1,70000,1") + store(68) +
                 launchV2("note", "1", "1,1,1", "2048,1,1") + store(72) +
                 launchV2("none", "1") + store(76) +
                 launchV2("note", "1", "1,1,1", "1,1,1", "77777") + store(80) +
                 launchV1("note", "1", "8") + store(84) +
                 launchV2("clustered", "1") + store(88) +
                 launchV2("bounded", "1", "1,1,1", "64,1,1") + store(92) +
                 call("LaunchDeviceV2", "b32", {{"b64", "%p"}, {"b64", "0"}}) +
                 store(96) + call("PeekAtLastError", "b32", {}) + store(100) +
                 call("GetLastError", "b32", {}) + store(104) +
                 call("GetLastError", "b32", {}) + store(108)));
  ASSERT_TRUE(module);
  uint64_t p = alloc(256);
  Status s = launch(*module, "parent", blocks(1, 1), p, 0u);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p + 64, 12),
            (Numbers{9, 9, 9, 1111, 400, 1, 912, 1, 1, 1, 1, 0}));
  EXPECT_EQ(download<uint32_t>(p, 1)[0], 0u); // Nothing ran.
}

TEST_F(DeviceLaunchTest, PitchesThatOverflow) {
  prefix = "cuda";
  auto module = load(kHeader +
                     declare("b32", "cudaMemset2DAsync",
                             {"b64", "b64", "b32", "b64", "b64", "b64"}) +
                     kernel("parent", call("Memset2DAsync", "b32",
                                           {{"b64", "%p"},
                                            {"b64", "0x8000000000000000"},
                                            {"b32", "1"},
                                            {"b64", "4"},
                                            {"b64", "3"},
                                            {"b64", "0"}}) +
                                          store(0) +
                                          call("Memset2DAsync", "b32",
                                               {{"b64", "%p"},
                                                {"b64", "16"},
                                                {"b32", "1"},
                                                {"b64", "4"},
                                                {"b64", "3"},
                                                {"b64", "0"}}) +
                                          store(4)));
  uint64_t p = alloc(48);
  Status s = launch(*module, "parent", blocks(1, 1), p, 0u);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 9),
            (Numbers{0x01010101, 0, 0, 0, 0x01010101, 0, 0, 0, 0x01010101}));
}

// Each thread has an error of its own.
TEST_F(DeviceLaunchTest, ErrorsOfThreads) {
  auto module =
      load(kHeader + declarations(prefix) + append() +
           kernel("parent", "setp.ne.u32 %c, %i, 40; @%c bra GO;" +
                                launchV2("note", "1", "0,1,1") +
                                "GO:" + call("GetLastError", "b32", {}) +
                                "mad.wide.u32 %q, %i, 4, %p;"
                                "st.u32 [%q], %e;"));
  uint64_t p = alloc(256);
  Status s = launch(*module, "parent", blocks(1, 64), p, 0u);
  ASSERT_TRUE(s.ok()) << s.text;
  auto v = download<uint32_t>(p, 64);
  for (uint32_t k = 0; k < 64; ++k)
    EXPECT_EQ(v[k], k == 40 ? 9u : 0u);
}

TEST_F(DeviceLaunchTest, StreamsAndEvents) {
  auto module = load(
      kHeader + declarations(prefix) + append() +
      kernel(
          "parent",
          call("StreamCreateWithFlags", "b32", {{"b64", "%a"}, {"b32", "1"}}) +
              store(64) +
              call("StreamCreateWithFlags", "b32",
                   {{"b64", "%a"}, {"b32", "0"}}) +
              store(68) + "add.u64 %g, %a, 8;" +
              call("EventCreateWithFlags", "b32",
                   {{"b64", "%g"}, {"b32", "2"}}) +
              store(72) + "ld.u64 %q, [%a]; ld.u64 %g, [%a+8];" +
              launchV2("note", "5", "1,1,1", "1,1,1", "%q") + store(76) +
              call("EventRecord", "b32", {{"b64", "%g"}, {"b64", "%q"}}) +
              store(80) +
              call("StreamWaitEvent", "b32",
                   {{"b64", "0"}, {"b64", "%g"}, {"b32", "0"}}) +
              store(84) +
              call("EventRecord", "b32", {{"b64", "%g"}, {"b64", "3"}}) +
              store(88) +
              call("EventRecord", "b32", {{"b64", "%q"}, {"b64", "%q"}}) +
              store(92) + call("EventDestroy", "b32", {{"b64", "%g"}}) +
              store(96) + call("StreamDestroy", "b32", {{"b64", "%q"}}) +
              store(100) + call("StreamDestroy", "b32", {{"b64", "%q"}}) +
              store(104)));
  ASSERT_TRUE(module);
  uint64_t p = alloc(256);
  Status s = launch(*module, "parent", blocks(1, 1), p, 0u);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p + 64, 11),
            (Numbers{0, 1, 0, 0, 0, 0, 1, 400, 0, 0, 400}));
  EXPECT_EQ(download<uint32_t>(p, 2), (Numbers{1, 5}));
}

// Copies and fills take their place among the launches.
TEST_F(DeviceLaunchTest, CopiesAndFills) {
  auto module =
      load(kHeader + declarations(prefix) + append() +
           kernel("parent", "add.u64 %q, %p, 64;" + launchV2("note", "7") +
                                call("MemcpyAsync", "b32",
                                     {{"b64", "%q"},
                                      {"b64", "%p"},
                                      {"b64", "8"},
                                      {"b32", "3"},
                                      {"b64", "0"}}) +
                                store(128) + launchV2("note", "8") +
                                "add.u64 %q, %p, 80;" +
                                call("MemsetAsync", "b32",
                                     {{"b64", "%q"},
                                      {"b32", "0x105"},
                                      {"b64", "4"},
                                      {"b64", "0"}}) +
                                store(132) +
                                call("MemsetAsync", "b32",
                                     {{"b64", "%q"},
                                      {"b32", "1"},
                                      {"b64", "1000"},
                                      {"b64", "0"}}) +
                                store(136) +
                                call("MemcpyAsync", "b32",
                                     {{"b64", "%a"},
                                      {"b64", "%p"},
                                      {"b64", "8"},
                                      {"b32", "3"},
                                      {"b64", "0"}}) +
                                store(140)));
  ASSERT_TRUE(module);
  uint64_t p = alloc(256);
  Status s = launch(*module, "parent", blocks(1, 1), p, 0u);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(download<uint32_t>(p, 3), (Numbers{2, 7, 8}));
  EXPECT_EQ(download<uint32_t>(p + 64, 2), (Numbers{1, 7}));
  EXPECT_EQ(download<uint32_t>(p + 80, 1), (Numbers{0x05050505}));
  EXPECT_EQ(download<uint32_t>(p + 128, 4), (Numbers{0, 0, 1, 1}));
}

TEST_F(DeviceLaunchTest, Queries) {
  Options options = defaults();
  options.host.version = 13000;
  options.host.attribute = [](unsigned device, int attribute, int &value) {
    value = 1000 * static_cast<int>(device) + attribute * 2;
    return attribute < 100;
  };
  options.host.errorString = [](int error) {
    return "error " + std::to_string(error);
  };
  make(options);
  auto get = [&](const std::string &name, unsigned at) {
    return call(name, "b32", {{"b64", "%a"}}) + "ld.u32 %e, [%a];" + store(at);
  };
  auto module = load(
      kHeader + declarations(prefix) + append() +
      kernel(
          "parent",
          get("GetDevice", 64) + get("GetDeviceCount", 68) +
              get("RuntimeGetVersion", 72) +
              call("DeviceGetAttribute", "b32",
                   {{"b64", "%a"}, {"b32", "10"}, {"b32", "0"}}) +
              "ld.u32 %e, [%a];" + store(76) +
              call("DeviceGetAttribute", "b32",
                   {{"b64", "%a"}, {"b32", "10"}, {"b32", "1"}}) +
              store(80) +
              call("DeviceGetAttribute", "b32",
                   {{"b64", "%a"}, {"b32", "100"}, {"b32", "0"}}) +
              store(84) +
              call("DeviceGetLimit", "b32", {{"b64", "%a"}, {"b32", "2"}}) +
              "ld.u32 %e, [%a];" + store(88) +
              call("DeviceGetLimit", "b32", {{"b64", "%a"}, {"b32", "77"}}) +
              store(92) + "mov.u64 %f, note;" +
              call("FuncGetAttributes", "b32", {{"b64", "%a"}, {"b64", "%f"}}) +
              "ld.u32 %e, [%a+24];" + store(96) + "ld.u32 %e, [%a+32];" +
              store(100) +
              call("OccupancyMaxActiveBlocksPerMultiprocessor", "b32",
                   {{"b64", "%a"},
                    {"b64", "%f"},
                    {"b32", "512"},
                    {"b64", "0"}}) +
              "ld.u32 %e, [%a];" + store(104) +
              call("GetErrorString", "b64", {{"b32", "7"}}) +
              "ld.u32 %e, [%b];" + store(108) + "ld.u32 %e, [%b+4];" +
              store(112) +
              call("Malloc", "b32", {{"b64", "%a"}, {"b64", "100"}}) +
              store(116) + "ld.u64 %q, [%a]; st.u32 [%q+96], 3;" +
              call("Free", "b32", {{"b64", "%q"}}) + store(120) +
              call("Free", "b32", {{"b64", "%q"}}) + store(124) +
              call("Malloc", "b32", {{"b64", "%a"}, {"b64", "0x7fffffffff"}}) +
              store(128)));
  ASSERT_TRUE(module);
  uint64_t p = alloc(256);
  Status s = launch(*module, "parent", blocks(1, 1), p, 0u);
  ASSERT_TRUE(s.ok()) << s.text;
  auto v = download<uint32_t>(p + 64, 17);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(&v[11]), 8),
            std::string("error 7", 8));
  v[11] = v[12] = 0;
  EXPECT_EQ(v, (Numbers{0, 1, 13000, 20, 101, 1, 8 << 20, 215, 1024, 90, 4, 0,
                        0, 0, 0, 1, 2}));
}

// A fault of a child is that of the launch; a pointer that cannot be written is
// a fault; what is not there is refused by name.
TEST_F(DeviceLaunchTest, Faults) {
  for (auto [code, kind, text] : {
           std::tuple{launchV2("bad", "1"), ErrorKind::IllegalAddress,
                      "in kernel bad"},
           std::tuple{call("GetDevice", "b32", {{"b64", "16"}}),
                      ErrorKind::IllegalAddress, "null pointer"},
           std::tuple{
               call("Memset3DAsync", "b32",
                    {{"b64", "%p"}, {"b32", "1"}, {"b64", "4"}, {"b64", "0"}}),
               ErrorKind::NotImplemented, "not implemented: call"},
       }) {
    device->resetSticky();
    auto module = load(kHeader + declarations(prefix) + append() +
                       kernel("bad", "mov.u64 %q, 32; st.u32 [%q], 1;") +
                       kernel("parent", code));
    ASSERT_TRUE(module);
    Status s = launch(*module, "parent", blocks(1, 1), alloc(64), 0u);
    EXPECT_EQ(s.kind, kind) << s.text;
    EXPECT_NE(s.text.find(text), std::string::npos) << s.text;
  }
}

// Nothing stays allocated: buffers that were launched, and those that were not.
TEST_F(DeviceLaunchTest, BuffersAreFreed) {
  auto module =
      load(kHeader + declarations(prefix) + append() +
           kernel("parent", launchV2("note", "1") +
                                call("GetParameterBuffer", "b64",
                                     {{"b64", "64"}, {"b64", "4000"}})));
  uint64_t p = alloc(64), before = device->allocatedBytes();
  Status s = launch(*module, "parent", blocks(4, 3), p, 0u);
  ASSERT_TRUE(s.ok()) << s.text;
  EXPECT_EQ(device->allocatedBytes(), before);
  EXPECT_EQ(download<uint32_t>(p, 1)[0], 12u);
}

} // namespace gpulto::emu::test
