//===- HostPagesTest.cpp - Accessible memory of the process ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/machine/HostPages.h"

#include "gtest/gtest.h"

#include <sys/mman.h>

using namespace gpulto::emu;

namespace {

TEST(HostPages, KnowsWhatCanBeReadAndWritten) {
  std::vector<HostMapping> mappings = parseHostMappings(
      "00400000-00452000 r-xp 00000000 08:02 173521    /usr/bin/dbus\n"
      "00651000-00652000 rw-p 00051000 08:02 173521    /usr/bin/dbus\n"
      "7f0000000000-7f0000001000 ---p 00000000 00:00 0\n"
      "not a mapping\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]");
  ASSERT_EQ(mappings.size(), 2u);
  EXPECT_EQ(mappings[0].range.begin, 0x400000u);
  EXPECT_EQ(mappings[0].range.end, 0x452000u);
  EXPECT_FALSE(mappings[0].isWritable);
  EXPECT_TRUE(mappings[1].isWritable);
  EXPECT_TRUE(parseHostMappings("").empty());
}

TEST(HostPages, LooksAgainForWhatIsNew) {
  HostPages pages;
  HostMapping mapping;
  EXPECT_FALSE(pages.find(16, mapping));
  void *made = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint64_t address = reinterpret_cast<uint64_t>(made);
  ASSERT_TRUE(pages.find(address + 4095, mapping));
  EXPECT_LE(mapping.range.begin, address);
  EXPECT_GE(mapping.range.end, address + 4096);
  EXPECT_TRUE(mapping.isWritable);
  munmap(made, 4096);
}

TEST(HostPages, MemoryCutsOffItsOwnMapping) {
  Memory memory;
  ASSERT_TRUE(memory.reserve());
  uint64_t base = memory.sharedWindow();
  Range below = memory.outside(base - 1, {base - 4096, base + 4096});
  EXPECT_EQ(below.begin, base - 4096);
  EXPECT_EQ(below.end, base);
  Range above = memory.outside(~uint64_t(0) - 1, {base, ~uint64_t(0)});
  EXPECT_FALSE(memory.contains(above.begin));
  EXPECT_TRUE(memory.contains(above.begin - 1));
}

} // namespace
