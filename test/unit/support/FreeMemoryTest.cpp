//===- FreeMemoryTest.cpp - Memory that is still available ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "support/FreeMemory.h"

#include "gtest/gtest.h"
#include "support/Subprocess.h"

#include "llvm/Support/Path.h"

#include <cstring>
#include <memory>
#include <string>
#include <unistd.h>

using namespace gpulto;
using namespace llvm;

namespace {

constexpr uint64_t kMiB = 1 << 20;

/// A directory that stands for the root, with a machine of 1000 MiB.
class FreeMemory : public testing::Test {
protected:
  void SetUp() override {
    Expected<TempDir> made = TempDir::create("free-memory-test");
    ASSERT_TRUE(bool(made));
    root = std::move(*made);
    write("/proc/meminfo", "MemTotal:        9999999 kB\n"
                           "MemFree:            1000 kB\n"
                           "MemAvailable:    1024000 kB\n");
  }
  void write(StringRef path, StringRef contents) {
    std::string file = root.path() + path.str();
    ASSERT_FALSE(bool(makeDirectories(sys::path::parent_path(file))));
    ASSERT_FALSE(bool(writeFileAtomically(file, contents)));
  }
  void writeMiB(StringRef path, uint64_t mebibytes) {
    write(path, std::to_string(mebibytes * kMiB) + "\n");
  }
  /// Returns the free memory in MiB.
  uint64_t free() { return freeMemoryBytes(root.path()) / kMiB; }

  TempDir root;
};

constexpr StringLiteral kMounts =
    "22 1 0:20 / /proc rw,nosuid - proc proc rw\n"
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup "
    "rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

TEST_F(FreeMemory, OfTheMachine) { EXPECT_EQ(free(), 1000u); }

TEST_F(FreeMemory, OfAnUnknownMachine) {
  write("/proc/meminfo", "MemTotal: 1 kB\n");
  EXPECT_EQ(freeMemoryBytes(root.path()), UINT64_MAX);
}

TEST_F(FreeMemory, OfGroupsOfVersion2) {
  write("/proc/self/mountinfo",
        "26 1 0:24 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
  write("/proc/self/cgroup", "0::/user.slice/build.scope\n");
  std::string top = "/sys/fs/cgroup/user.slice", own = top + "/build.scope";
  write(own + "/memory.max", "max\n");
  write(own + "/memory.high", "max\n");
  writeMiB(own + "/memory.current", 300);
  EXPECT_EQ(free(), 1000u) << "no limit";

  writeMiB(own + "/memory.max", 700);
  EXPECT_EQ(free(), 400u);
  writeMiB(own + "/memory.high", 600);
  EXPECT_EQ(free(), 300u) << "beyond it the kernel slows us down";
  write(own + "/memory.stat", "anon 1\nfile 104857600\ninactive_file 52428800\n"
                              "active_file 52428800\n");
  EXPECT_EQ(free(), 400u) << "100 MiB of it are caches";

  writeMiB(top + "/memory.max", 900);
  writeMiB(top + "/memory.current", 850);
  EXPECT_EQ(free(), 50u) << "what holds the group is nearly full";
  writeMiB(top + "/memory.current", 950);
  EXPECT_EQ(free(), 0u);
}

TEST_F(FreeMemory, OfGroupsOfVersion1) {
  write("/proc/self/mountinfo", kMounts);
  write("/proc/self/cgroup", "5:cpu:/a\n4:memory:/a/b\n0::/\n");
  std::string top = "/sys/fs/cgroup/memory/a", own = top + "/b";
  write(own + "/memory.limit_in_bytes", "9223372036854771712\n"); // none
  writeMiB(own + "/memory.usage_in_bytes", 10);
  EXPECT_EQ(free(), 1000u);
  writeMiB(top + "/memory.limit_in_bytes", 500);
  writeMiB(top + "/memory.usage_in_bytes", 100);
  EXPECT_EQ(free(), 400u);
  write(top + "/memory.stat", "inactive_file 7\ntotal_inactive_file 20971520\n"
                              "total_active_file 10485760\n");
  EXPECT_EQ(free(), 430u);
}

TEST_F(FreeMemory, InsideAContainer) {
  // The mount shows the container's group only, and the group is named from
  // outside (no name space of groups), or it is outside of the mount.
  write("/proc/self/mountinfo", "35 31 0:32 /docker/7 /sys/fs/cgroup/memory ro "
                                "- cgroup cgroup rw,memory\n");
  writeMiB("/sys/fs/cgroup/memory/memory.limit_in_bytes", 256);
  writeMiB("/sys/fs/cgroup/memory/memory.usage_in_bytes", 56);
  writeMiB("/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", 64);
  writeMiB("/sys/fs/cgroup/memory/inner/memory.usage_in_bytes", 4);
  for (const char *group : {"/docker/7", "/", "/elsewhere"}) {
    write("/proc/self/cgroup", std::string("4:memory:") + group + "\n");
    EXPECT_EQ(free(), 200u) << group;
  }
  write("/proc/self/cgroup", "4:memory:/docker/7/inner\n");
  EXPECT_EQ(free(), 60u);
}

TEST_F(FreeMemory, BeyondWhatIsWellFormed) {
  write("/proc/self/mountinfo", "\n - \nx - y\n1 2 3 4 - cgroup2\n");
  write("/proc/self/cgroup", "\n0\n0::\n::\n:memory:/a/\n");
  EXPECT_EQ(free(), 1000u);
}

TEST(OwnMemory, GrowsWithTheProcess) {
  uint64_t before = ownMemoryBytes(getpid());
  EXPECT_GT(before, 0u);
  constexpr size_t kSize = 64 * kMiB;
  auto bytes = std::make_unique<char[]>(kSize);
  memset(bytes.get(), 1, kSize);
  EXPECT_GE(ownMemoryBytes(getpid()), before + kSize / 2);
  EXPECT_EQ(ownMemoryBytes(0x3fffff), 0u);
}

} // namespace
