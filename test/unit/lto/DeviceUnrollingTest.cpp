//===- DeviceUnrollingTest.cpp - Loops that stay loops --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/device/DeviceUnrolling.h"

#include "test/unit/Analyses.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace gpulto;

namespace {

/// Returns \p count multiplications by %x, each of the one before; the first of
/// \p value.
std::string work(StringRef prefix, unsigned count, StringRef value) {
  std::string text, last = value.str();
  for (unsigned i = 0; i < count; ++i) {
    std::string next = ("%" + prefix + Twine(i)).str();
    text += "  " + next + " = fmul float " + last + ", %x\n";
    last = next;
  }
  return text;
}

/// A kernel with a loop that asks for all of its rounds, behind a hot one.
struct Kernel {
  unsigned hot = 2000;     ///< instructions of a hot round
  std::string stop = "%n"; ///< rounds of the hot loop
  unsigned rounds = 16;    ///< of the other loop
  unsigned size = 150;     ///< instructions of one of these, and a few
  std::string convention = "ptx_kernel";
  /// At the beginning of the function: %base, from where it loads.
  std::string first = "  %base = addrspacecast ptr addrspace(3) @tile to ptr\n";
  std::string extra; ///< in the round, of its number %i
  std::string wish = R"(!"llvm.loop.unroll.enable")";
  std::string triple = "nvptx64-nvidia-cuda";

  std::string text() const {
    return "target triple = \"" + triple + "\"\n" + R"(
@tile = internal addrspace(3) global [4096 x float] poison
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @away()
define )" + convention +
           R"( void @f(ptr %out, float %x, i32 %n, i32 %lane) {
entry:
)" + first +
           R"(
  br label %hot
hot:
  %k = phi i32 [ 0, %entry ], [ %l, %hot ]
  %v = phi float [ %x, %entry ], [ %h)" +
           utostr(hot - 1) + R"(, %hot ]
)" + work("h", hot, "%v") +
           R"(
  %l = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %l, )" +
           stop + R"(
  br i1 %more, label %hot, label %middle
middle:
  br label %seldom
seldom:
  %i = phi i32 [ 0, %middle ], [ %j, %seldom ]
  %index = add i32 %i, %lane
  %from = getelementptr float, ptr %base, i32 %index
  %loaded = load float, ptr %from
)" + extra +
           work("s", size, "%loaded") + R"(
  %to = getelementptr float, ptr %out, i32 %index
  store float %s)" +
           utostr(size - 1) + R"(, ptr %to
  %j = add nuw nsw i32 %i, 1
  %again = icmp ult i32 %j, )" +
           utostr(rounds) + R"(
  br i1 %again, label %seldom, label %done, !llvm.loop !0
done:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{)" + wish +
           "}\n";
  }
};

/// What a loop's metadata says after the pass: "all", "none" or how many rounds
/// at once.
std::string limited(const Kernel &kernel) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(kernel.text(), diagnostic, context);
  EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
  if (!module)
    return "";
  Analyses analyses;
  FunctionPassManager passes;
  passes.addPass(createFunctionToLoopPassAdaptor(LimitUnrollingPass()));
  Function &function = *module->getFunction("f");
  passes.run(function, analyses.functions);
  for (BasicBlock &block : function)
    if (MDNode *id = block.getTerminator()->getMetadata(LLVMContext::MD_loop)) {
      auto *wish = cast<MDNode>(id->getOperand(1));
      StringRef name = cast<MDString>(wish->getOperand(0))->getString();
      if (name == "llvm.loop.unroll.disable")
        return "none";
      if (name == "llvm.loop.unroll.count")
        return utostr(
            mdconst::extract<ConstantInt>(wish->getOperand(1))->getZExtValue());
      return "all";
    }
  return "no loop";
}

TEST(DeviceUnrolling, LargeRoundsBesideAHotLoopStayALoop) {
  EXPECT_EQ(limited(Kernel()), "none");
  Kernel full;
  full.wish = R"(!"llvm.loop.unroll.full")";
  EXPECT_EQ(limited(full), "none");
}

TEST(DeviceUnrolling, SmallerOnesGetAFewRoundsAtOnce) {
  Kernel kernel;
  kernel.size = 60;
  EXPECT_EQ(limited(kernel), "2");
  kernel.size = 45;
  EXPECT_EQ(limited(kernel), "4");
}

TEST(DeviceUnrolling, SmallLoopsAreUnrolled) {
  Kernel kernel;
  kernel.size = 12;
  EXPECT_EQ(limited(kernel), "all");
  kernel.size = 60;
  kernel.rounds = 3;
  EXPECT_EQ(limited(kernel), "all");
  kernel.rounds = 4;
  EXPECT_EQ(limited(kernel), "2");
}

TEST(DeviceUnrolling, ANumberInTheSourceCounts) {
  Kernel kernel;
  kernel.wish = R"(!"llvm.loop.unroll.count", i32 16)";
  EXPECT_EQ(limited(kernel), "16");
}

TEST(DeviceUnrolling, WithoutAHotterLoopAllIsUnrolled) {
  Kernel kernel;
  kernel.hot = 100;
  EXPECT_EQ(limited(kernel), "all");
  kernel.hot = 2000;
  kernel.stop = "4";
  EXPECT_EQ(limited(kernel), "all");
  kernel.stop = "6";
  EXPECT_EQ(limited(kernel), "none");
}

TEST(DeviceUnrolling, ArraysGetRegisters) {
  Kernel kernel;
  kernel.first = "  %base = alloca [64 x float]\n";
  EXPECT_EQ(limited(kernel), "all");
}

TEST(DeviceUnrolling, ParametersAreOfKernelsOnly) {
  Kernel kernel;
  kernel.convention = "";
  EXPECT_EQ(limited(kernel), "all");
}

TEST(DeviceUnrolling, PointersFromMemoryMayBeOfArrays) {
  Kernel kernel;
  kernel.first = "  %base = load ptr, ptr %out\n";
  EXPECT_EQ(limited(kernel), "all");
}

TEST(DeviceUnrolling, BranchesOnTheCounterDiffer) {
  Kernel kernel;
  kernel.extra = "  %early = icmp ult i32 %i, 4\n"
                 "  %what = select i1 %early, float %x, float %loaded\n";
  EXPECT_EQ(limited(kernel), "all");
  kernel.extra = "  %early = icmp ult i32 %index, 4\n"
                 "  %what = select i1 %early, float %x, float %loaded\n";
  EXPECT_EQ(limited(kernel), "none");
}

TEST(DeviceUnrolling, WhatBecomesConstantSavesRounds) {
  Kernel kernel;
  for (unsigned i = 0; i < 40; ++i)
    kernel.extra += ("  %c" + Twine(i) + " = mul i32 " +
                     (i ? "%c" + Twine(i - 1) : Twine("%i")) + ", %i\n")
                        .str();
  EXPECT_EQ(limited(kernel), "all");
}

TEST(DeviceUnrolling, BarriersAndCallsAreLeftToLlvm) {
  Kernel kernel;
  kernel.extra = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
  EXPECT_EQ(limited(kernel), "all");
  kernel.extra = "  call void @away()\n";
  EXPECT_EQ(limited(kernel), "all");
}

TEST(DeviceUnrolling, HostCodeIsLeftAlone) {
  Kernel kernel;
  kernel.convention = "";
  kernel.triple = "x86_64-unknown-linux-gnu";
  EXPECT_EQ(limited(kernel), "all");
}

} // namespace
