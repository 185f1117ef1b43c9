//===- ParamsTest.cpp - Thresholds ----------------------------------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Params.h"

#include "test/unit/ErrorChecks.h"

#include <set>

using namespace gpulto;
using test::messageOf;

TEST(Params, SetsByName) {
  Params params;
  EXPECT_EQ(params.inlineInstructions, 120u);
  EXPECT_OK(params.set("inlineInstructions=250"));
  EXPECT_EQ(params.inlineInstructions, 250u);
}

TEST(Params, RefusesWhatItCannotUse) {
  Params params;
  EXPECT_EQ(messageOf(params.set("inlineInstructons=1")),
            "unknown parameter 'inlineInstructons'; did you mean "
            "'inlineInstructions'?");
  EXPECT_EQ(messageOf(params.set("zzzzzzzzzzzzzzzzzzzzzzzzzz=1")),
            "unknown parameter 'zzzzzzzzzzzzzzzzzzzzzzzzzz'");
  EXPECT_EQ(messageOf(params.set("inlineInstructions")),
            "parameter 'inlineInstructions' has no value, expected NAME=VALUE");
  EXPECT_EQ(messageOf(params.set("inlineInstructions=")),
            "parameter 'inlineInstructions': '' is not a number");
  EXPECT_EQ(messageOf(params.set("inlineInstructions=1x")),
            "parameter 'inlineInstructions': '1x' is not a number");
  EXPECT_EQ(messageOf(params.set("inlineSpeedupPercent=101")),
            "parameter 'inlineSpeedupPercent': 101 is outside of 0 to 100 "
            "percent");
  EXPECT_EQ(params.inlineInstructions, 120u);
  EXPECT_EQ(params.inlineSpeedupPercent, 30u);
}

TEST(Params, RowsAreComplete) {
  std::set<std::string> names;
  for (const ParamInfo &info : allParams()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_LT(info.minimum, info.maximum) << info.name;
    EXPECT_TRUE(llvm::StringRef(info.text).ends_with(".")) << info.name;
    EXPECT_STRNE(info.unit, "") << info.name;
    EXPECT_STRNE(info.source, "") << info.name;
    // Every row can be set to its borders.
    Params params;
    EXPECT_OK(params.set(info.name + ("=" + std::to_string(info.minimum))));
    EXPECT_OK(params.set(info.name + ("=" + std::to_string(info.maximum))));
  }
}

TEST(Params, EveryValueIsInTheHash) {
  auto hash = [](const Params &params) {
    StableHasher hasher;
    params.addTo(hasher);
    return hasher.finish();
  };
  Digest plain = hash(Params());
  EXPECT_EQ(plain, hash(Params()));
  for (const ParamInfo &info : allParams()) {
    Params params;
    int64_t other =
        info.defaultValue == info.maximum ? info.minimum : info.maximum;
    EXPECT_OK(params.set(info.name + ("=" + std::to_string(other))));
    EXPECT_NE(plain, hash(params)) << info.name;
  }
}
