//===- DeviceConvergenceTest.cpp - Where whole warps shuffle --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/device/DeviceConvergence.h"

#include "lto/device/DeviceCodegen.h"
#include "lto/host/HostCodegen.h"
#include "test/unit/Analyses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace gpulto;

namespace {

const char *const kDeclarations = R"(
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) convergent
declare void @llvm.nvvm.barrier.cta.sync.all(i32) convergent
declare void @llvm.nvvm.bar.warp.sync(i32) convergent
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32) convergent
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent
declare i32 @llvm.nvvm.redux.sync.add(i32, i32) convergent
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @meets() convergent
declare i32 @apart()
)";

/// \p text with BARRIER and SHUFFLE, of a full mask, spelled out.
std::string spelledOut(std::string text) {
  auto replaceAll = [&](StringRef from, StringRef to) {
    for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos;
         at += to.size())
      text.replace(at, from.size(), to.str());
  };
  replaceAll("BARRIER",
             "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)");
  replaceAll("SHUFFLE", "call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, "
                        "i32 %n, i32 16, i32 31)");
  return text;
}

/// Returns the names of the shuffles before which the pass says that the warp
/// is whole: in order, with a blank between.
std::string wholeOf(StringRef body, StringRef convention = "ptx_kernel") {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::string text =
      "target triple = \"nvptx64-nvidia-cuda\"\n" + std::string(kDeclarations) +
      "define " + convention.str() + " void @f(ptr %p, i32 %n) {\n" +
      "entry:\n  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "  %c = icmp ult i32 %t, 32\n  %d = icmp eq i32 %t, 7\n"
      "  %u = icmp eq i32 %n, 0\n" +
      body.str() + "}\n";
  std::unique_ptr<Module> module =
      parseAssemblyString(spelledOut(text), diagnostic, context);
  EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
  if (!module)
    return "";
  static bool isReady = (initializeTargets(), true);
  (void)isReady;
  auto machine = cantFail(createDeviceMachine(*module, "sm_90", 2));
  Analyses analyses(machine.get());
  Function &function = *module->getFunction("f");
  RestateConvergencePass().run(function, analyses.functions);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::string names;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
        call && call->getIntrinsicID() == Intrinsic::nvvm_bar_warp_sync)
      names +=
          (names.empty() ? "" : " ") + call->getNextNode()->getName().str();
  return names;
}

/// A branch on \p condition to shuffles, \p other on the other side, and a
/// barrier behind both, or what \p end is.
std::string branch(StringRef condition, StringRef before = "  BARRIER\n",
                   StringRef other = "", StringRef end = "  BARRIER\n") {
  return (before + "  br i1 " + condition + ", label %in, label %out\nin:\n" +
          "  %a = SHUFFLE\n  %b = SHUFFLE\n  br label %join\nout:\n" + other +
          "  br label %join\njoin:\n" + end + "  ret void\n")
      .str();
}

TEST(DeviceConvergence, TheFirstShuffleOfABranchBesideABarrier) {
  EXPECT_EQ(wholeOf(branch("%c")), "a");
  // All threads begin a kernel together.
  EXPECT_EQ(wholeOf(branch("%c", "")), "a");
  // Votes and sums with a full mask are points where all are, too.
  for (const char *before :
       {"  %v = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %d)\n",
        "  %v = call i32 @llvm.nvvm.redux.sync.add(i32 %t, i32 -1)\n",
        "  %v = SHUFFLE\n"})
    EXPECT_EQ(wholeOf(branch("%c", before)), "a");
}

TEST(DeviceConvergence, WhatPtxasSees) {
  // A branch that all threads of a block take the same way.
  EXPECT_EQ(wholeOf(branch("%u")), "");
  // Threads that exit, here or behind the branch.
  EXPECT_EQ(wholeOf(branch("%c", "  BARRIER\n", "", "")), "");
  // No branch at all.
  EXPECT_EQ(wholeOf("  BARRIER\n  %a = SHUFFLE\n  ret void\n"), "");
}

TEST(DeviceConvergence, OthersMayWaitElsewhere) {
  EXPECT_EQ(wholeOf(branch("%c", "  BARRIER\n", "  %x = SHUFFLE\n")), "");
  EXPECT_EQ(wholeOf(branch("%c", "  BARRIER\n",
                           "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n")),
            "");
  EXPECT_EQ(wholeOf(branch("%c", "  BARRIER\n",
                           "  call void @llvm.nvvm.bar.warp.sync(i32 7)\n")),
            "");
  EXPECT_EQ(wholeOf(branch("%c", "  BARRIER\n", "  %x = call i32 @meets()\n")),
            "");
  // Behind the branch.
  EXPECT_EQ(wholeOf(branch("%c", "  BARRIER\n", "",
                           "  %x = call i32 @meets()\n  BARRIER\n")),
            "");
  // A barrier that threads of a warp may come to one by one.
  EXPECT_EQ(
      wholeOf(branch(
          "%c", "  BARRIER\n", "",
          "  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)\n  BARRIER\n")),
      "");
  // In a call that none waits in.
  EXPECT_EQ(wholeOf(branch("%c", "  BARRIER\n", "  %x = call i32 @apart()\n")),
            "a");
}

TEST(DeviceConvergence, TheWarpMayHavePartedBefore) {
  for (const char *before :
       {"  BARRIER\n  %v = call i32 @meets()\n",
        "  BARRIER\n  call void @llvm.nvvm.bar.warp.sync(i32 255)\n",
        "  BARRIER\n  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)\n"})
    EXPECT_EQ(wholeOf(branch("%c", before)), "") << before;
  const char *const parted = R"(
  BARRIER
  br i1 %d, label %some, label %others
some:
  br i1 %c, label %in, label %out
in:
  %a = SHUFFLE
  br label %out
out:
  BARRIER
  ret void
others:
  %x = SHUFFLE
  BARRIER
  ret void
)";
  EXPECT_EQ(wholeOf(parted), "");
}

TEST(DeviceConvergence, AFunctionMayBeCalledByParts) {
  EXPECT_EQ(wholeOf(branch("%c", ""), ""), "");
  EXPECT_EQ(wholeOf(branch("%c"), ""), "a");
  // What the caller goes on with may be a shuffle.
  const char *const leaves = R"(
  BARRIER
  br i1 %c, label %in, label %out
in:
  %a = SHUFFLE
  BARRIER
  ret void
out:
  br i1 %d, label %waits, label %away
waits:
  BARRIER
  ret void
away:
  ret void
)";
  EXPECT_EQ(wholeOf(leaves, ""), "");
  EXPECT_EQ(wholeOf(leaves), "a");
}

TEST(DeviceConvergence, OtherMasksArePartsOfWarps) {
  std::string body = branch("%c");
  size_t at = body.find("SHUFFLE");
  body.replace(at, 7,
               "call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 65535, i32 %n, "
               "i32 8, i32 31)");
  EXPECT_EQ(wholeOf(body), "");
  body.replace(body.find("i32 65535"), 9, "i32 %t");
  EXPECT_EQ(wholeOf(body), "");
}

TEST(DeviceConvergence, ThreadsMeetBehindDetours) {
  // What each thread loads for itself, and a loop of as many rounds as each
  // needs.
  const char *const detours = R"(
  BARRIER
  br i1 %d, label %load, label %loaded
load:
  %w = load i32, ptr %p
  br label %loaded
loaded:
  br label %loop
loop:
  %i = phi i32 [ %t, %loaded ], [ %k, %loop ]
  %k = add i32 %i, 1
  %more = icmp ult i32 %k, %n
  br i1 %more, label %loop, label %behind
behind:
  br i1 %c, label %in, label %out
in:
  %a = SHUFFLE
  br i1 %u, label %second, label %out
second:
  %b = SHUFFLE
  br label %out
out:
  BARRIER
  ret void
)";
  EXPECT_EQ(wholeOf(detours), "a");
}

TEST(DeviceConvergence, RoundsOfALoopProveEachOther) {
  const char *const rounds = R"(
  BARRIER
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %k, %next ]
  br i1 %c, label %in, label %next
in:
  %a = SHUFFLE
  br label %next
next:
  BARRIER
  %k = add i32 %i, 1
  %more = icmp ult i32 %k, %n
  br i1 %more, label %loop, label %behind
behind:
  ret void
)";
  EXPECT_EQ(wholeOf(rounds), "a");
  // Without a barrier in the loop no thread waits elsewhere, and ptxas sees so.
  std::string text = rounds;
  size_t at = text.rfind("  BARRIER\n");
  text.erase(at, 10);
  EXPECT_EQ(wholeOf(text), "");
}

} // namespace
