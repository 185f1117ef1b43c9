//===- LtransPlansTest.cpp - What a job says of decisions -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/partition/LtransPlans.h"

#include "gtest/gtest.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace gpulto {
namespace {

/// A stub that launches in the way of clang, and one that does not launch.
constexpr StringLiteral kText = R"(
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
define void @launches(ptr %arguments) {
  %r = call i32 @cudaLaunchKernel(ptr @launches, i64 1, i32 1, i64 1, i32 1,
                                  ptr %arguments, i64 0, ptr null)
  ret void
}
define void @_Z7nothingv() {
  ret void
}
)";

TEST(LtransPlans, SayWhichVersionsAreNeverChosen) {
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString(kText, problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  LtransJob job;
  job.side = Side::Host;
  job.inputs.resize(1);
  job.inputs[0].path = "a.o";
  for (const char *name : {"launches", "_Z7nothingv"}) {
    JobSymbol &symbol = job.inputs[0].symbols.emplace_back();
    symbol.name = name;
    JobBody &body = symbol.bodies.emplace_back();
    body.guarded = std::string(name) + ".second";
    GeometryFact grid;
    grid.high = 8;
    body.guard.geometry = {grid};
  }
  std::vector<PlannedFunction> planned;
  for (const JobSymbol &symbol : job.inputs[0].symbols)
    planned.push_back({symbol.name, &symbol});
  LtransReport report;
  applyPlans(*module, planned, PlanUse::All, job, report);
  ASSERT_EQ(report.remarks.size(), 1u);
  const Remark &remark = report.remarks.front();
  EXPECT_EQ(remark.kind, RemarkKind::Missed);
  EXPECT_EQ(remark.name, "GuardNotTested");
  EXPECT_EQ(remark.function, "_Z7nothingv");
  EXPECT_EQ(remark.input, InputLocation("a.o"));
}

} // namespace
} // namespace gpulto
