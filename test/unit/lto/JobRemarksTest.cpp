//===- JobRemarksTest.cpp -------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/job/JobRemarks.h"

#include "gtest/gtest.h"

using namespace gpulto;

namespace {

std::string requested(const char *pattern) {
  DiagnosticsOptions options;
  options.passed = pattern;
  return requestRemarks(options).passed;
}

TEST(JobRemarks, AsksForNothingThatIsOursAlone) {
  for (const char *ours :
       {"", "gpulto", "^gpulto-fold$", "gpulto-(fold|inlining)"})
    EXPECT_EQ(requested(ours), "") << ours;
  for (const char *others : {"inline", ".*", "gpulto|inline", "(gpulto)?inline",
                             "gpulto\\(|inline", "gpulto[(]|inline"})
    EXPECT_EQ(requested(others), others);
}

TEST(JobRemarks, AsksForWhatIsKept) {
  DiagnosticsOptions options;
  options.kept = "inline";
  EXPECT_EQ(requestRemarks(options), RemarkRequest());
  options.keepRemarks = true;
  EXPECT_EQ(requestRemarks(options).kept, "inline");
  options.kept = "";
  EXPECT_EQ(requestRemarks(options).kept, ".*");
}

TEST(JobRemarks, NamesFunctionsAsSourcesDo) {
  LtransJob job;
  JobSymbol symbol;
  symbol.name = "f";
  job.inputs.resize(2);
  job.inputs[0].path = "a.o";
  job.inputs[0].tag = "12ab";
  job.inputs[0].symbols = {symbol};
  job.inputs[1].path = "b.a";
  job.inputs[1].member = "b.o";
  job.inputs[1].tag = "34cd";
  job.inputs[1].symbols = {symbol};
  JobNames names(job);
  EXPECT_EQ(names.withoutTags("'f.gpulto.12ab' into 'g.gpulto.cp1', .gpulto."),
            "'f' into 'g.gpulto.cp1', .gpulto.");
  EXPECT_EQ(names.withoutTags("f.gpulto.34cd.isra f.gpulto.34cde"),
            "f.isra f.gpulto.34cde");
  EXPECT_EQ(names.inputOf("f.gpulto.34cd"), InputLocation("b.a", "b.o"));
  EXPECT_EQ(names.inputOf("h"), InputLocation());
}

} // namespace
