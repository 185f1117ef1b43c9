//===- SettingsTest.cpp - Options and their way through the environment ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/runtime/Settings.h"

#include <gtest/gtest.h>

using namespace gpulto::emu;

namespace {

TEST(Settings, DefaultsAndValues) {
  std::vector<std::string> errors;
  Settings none = parseSettings("", errors);
  EXPECT_EQ(none.arch, 90u);
  EXPECT_FALSE(none.raceCheck);
  Settings some = parseSettings(
      "arch=80;threads=3;;race-check;schedule-seed=18446744073709551615",
      errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(some.arch, 80u);
  EXPECT_EQ(some.threads, 3u);
  EXPECT_TRUE(some.raceCheck);
  EXPECT_EQ(some.scheduleSeed, ~uint64_t(0));
}

TEST(Settings, ReportsWhatIsWrongAndGoesOn) {
  std::vector<std::string> errors;
  Settings settings = parseSettings(
      "arch=-1;sm-count=0;threads=2x;unknown=1;race-check=maybe;counters=;"
      "devices=17;hmm=2;threads=5",
      errors);
  EXPECT_EQ(errors.size(), 8u);
  EXPECT_EQ(settings.arch, 90u);
  EXPECT_EQ(settings.threads, 5u);
}

TEST(Settings, EscapesSurviveTheEnvironment) {
  std::string path = "/a;b%c/%3B.ptx";
  std::vector<std::string> errors;
  Settings settings =
      parseSettings("device-code=" + escapeSetting(path) + ";arch=75", errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(settings.deviceCode, path);
  EXPECT_EQ(settings.arch, 75u);
}

TEST(Settings, EveryOptionIsKnownToTheParser) {
  for (const SettingSpec &spec : settingSpecs()) {
    Settings settings;
    bool isFew = spec.name == std::string_view("devices");
    const char *value = !spec.valueName ? "1" : isFew ? "16" : "64";
    EXPECT_EQ(applySetting(settings, spec.name, value), "") << spec.name;
  }
}

} // namespace
