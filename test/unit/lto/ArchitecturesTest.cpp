//===- ArchitecturesTest.cpp ----------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/read/Architectures.h"

#include <gtest/gtest.h>

using namespace gpulto;

TEST(ArchitecturesTest, CodeRunsOnLaterArchitectures) {
  EXPECT_TRUE(runsOn("sm_80", "sm_80"));
  EXPECT_TRUE(runsOn("sm_80", "sm_90"));
  EXPECT_TRUE(runsOn("sm_90", "sm_100"));
  EXPECT_FALSE(runsOn("sm_90", "sm_80"));
  EXPECT_FALSE(runsOn("sm_100", "sm_90"));
}

TEST(ArchitecturesTest, LettersPromiseNothing) {
  EXPECT_TRUE(runsOn("sm_90a", "sm_90a"));
  EXPECT_TRUE(runsOn("sm_90", "sm_90a"));
  EXPECT_TRUE(runsOn("sm_80", "sm_90a"));
  EXPECT_FALSE(runsOn("sm_90a", "sm_90"));
  EXPECT_FALSE(runsOn("sm_90a", "sm_100"));
  EXPECT_FALSE(runsOn("sm_100f", "sm_103"));
  EXPECT_FALSE(runsOn("", "sm_90"));
}

static WpaModule moduleFor(uint32_t unit, llvm::StringRef arch) {
  WpaModule module;
  module.module.object = unit;
  module.module.location = InputLocation("u" + std::to_string(unit) + ".o");
  module.module.summary.side = arch.empty() ? Side::Host : Side::Device;
  module.module.summary.arch = arch;
  module.module.summary.functions.emplace_back();
  return module;
}

/// Returns the units and architectures of \p modules, in order.
static std::string textOf(llvm::ArrayRef<WpaModule> modules) {
  std::string text;
  for (const WpaModule &module : modules)
    text += std::to_string(module.module.object) + ":" +
            module.module.summary.arch.str() + " ";
  return text;
}

TEST(ArchitecturesTest, UnitsGetTheLatestCodeThatServes) {
  std::vector<WpaModule> modules = {
      moduleFor(0, ""),     moduleFor(0, "sm_90"), moduleFor(0, "sm_100"),
      moduleFor(1, ""),     moduleFor(2, ""),      moduleFor(2, "sm_75"),
      moduleFor(2, "sm_90")};
  std::vector<llvm::StringRef> wanted = {"sm_90", "sm_100"};
  Diagnostics diagnostics;
  llvm::Error error = completeArchitectures(modules, wanted, diagnostics);
  ASSERT_FALSE(bool(error));
  EXPECT_EQ(textOf(modules), "0: 0:sm_90 0:sm_100 1: 2: 2:sm_90 2:sm_100 ");
  EXPECT_TRUE(modules.back().module.summary.has(kNoPtx));
}

TEST(ArchitecturesTest, CodeRunsOnLaterOnesAndWithinItsFamily) {
  EXPECT_TRUE(runsOn("sm_80", "sm_90a"));
  EXPECT_FALSE(runsOn("sm_90", "sm_80"));
  EXPECT_FALSE(runsOn("sm_90a", "sm_100a"));
  EXPECT_TRUE(runsOn("sm_120f", "sm_121f"));
  EXPECT_TRUE(runsOn("sm_120f", "sm_120a"));
  EXPECT_FALSE(runsOn("sm_120f", "sm_121"));
  EXPECT_FALSE(runsOn("sm_121f", "sm_120f"));
  EXPECT_FALSE(runsOn("sm_100f", "sm_110f"));
}

TEST(ArchitecturesTest, EveryUnitThatLacksOneIsNamed) {
  std::vector<WpaModule> modules = {
      moduleFor(0, "sm_80"), moduleFor(1, "sm_90"), moduleFor(2, "sm_90a")};
  std::vector<llvm::StringRef> wanted = {"sm_80"};
  Diagnostics diagnostics;
  std::string text =
      llvm::toString(completeArchitectures(modules, wanted, diagnostics));
  EXPECT_NE(text.find("u1.o: no device code for sm_80"), std::string::npos);
  EXPECT_NE(text.find("u2.o: no device code for sm_80"), std::string::npos);
  EXPECT_EQ(text.find("u0.o"), std::string::npos);
}

TEST(ArchitecturesTest, FilesWithoutDeviceCodeNeedNone) {
  std::vector<WpaModule> modules = {moduleFor(0, "sm_80"), moduleFor(1, ""),
                                    moduleFor(1, "sm_90")};
  modules.back().module.summary.functions.clear();
  std::vector<llvm::StringRef> wanted = architecturesOf(modules);
  EXPECT_EQ(wanted, std::vector<llvm::StringRef>{"sm_80"});
  Diagnostics diagnostics;
  llvm::Error error = completeArchitectures(modules, wanted, diagnostics);
  ASSERT_FALSE(bool(error));
  EXPECT_EQ(textOf(modules), "0:sm_80 1: ");
}
