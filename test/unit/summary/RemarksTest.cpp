//===- RemarksTest.cpp - What remarks call parameters and places ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "summary/Remarks.h"

#include "gtest/gtest.h"
#include "summary/ModuleSummary.h"
#include "test/unit/ProgramBuilder.h"

using namespace gpulto;

namespace {

struct Remarks : testing::Test {
  CombinedSummary program;
  GlobalId f = kNone;

  void SetUp() override {
    ModuleBuilder module;
    module.define("_Z1fiii", kPrevailing | kFinalDefinition | kResolved, {});
    ModuleSummary &summary = module.summary();
    summary.sourceName = "dir/a.cu";
    summary.sourceFiles = {{"include/b.h"}};
    summary.sourceNames = {{"n"}, {"pair"}};
    summary.parameters.resize(4);
    summary.parameters[0].name = 1;
    summary.parameters[1].name = summary.parameters[2].name = 2;
    summary.functions[0].parameters = {0, 4};
    summary.functions[0].place = {7, 0, 1};
    program.addModule(module.take(0));
    ASSERT_FALSE(program.resolve());
    f = program.lookup(kHostImage, "_Z1fiii");
  }
};

TEST_F(Remarks, ParametersAreCalledAsInTheSource) {
  EXPECT_EQ(parameterName(program, f, 0), "parameter 'n'");
  EXPECT_EQ(parameterName(program, f, 1), "parameter 'pair' (the 2nd)");
  EXPECT_EQ(parameterName(program, f, 2), "parameter 'pair' (the 3rd)");
  EXPECT_EQ(parameterName(program, f, 3), "the 4th parameter");
  EXPECT_EQ(parameterName(program, f, 9), "the 10th parameter");
  EXPECT_EQ(parameterName(program, f, {0, true, 8}), "parameter 'n' at byte 8");
}

TEST_F(Remarks, PlacesNameTheirFile) {
  EXPECT_EQ(placeText(program, f, {3, 5}), "a.cu:3:5");
  EXPECT_EQ(placeText(program, f, {3, 0, 1}), "b.h:3");
  EXPECT_EQ(placeText(program, f, {}), "a.cu");
  Remark remark = remarkOn(program, f);
  EXPECT_EQ(remark.where.file, "include/b.h");
  EXPECT_EQ(remark.where.line, 7u);
  EXPECT_EQ(remark.function, "_Z1fiii");
  EXPECT_EQ(bodyName(program, f, 0), "'_Z1fiii'");
  EXPECT_EQ(bodyName(program, f, 2), "clone 2 of '_Z1fiii'");
}

} // namespace
