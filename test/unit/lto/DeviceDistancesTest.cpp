//===- DeviceDistancesTest.cpp - Values at constant distances -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lto/device/DeviceDistances.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace gpulto;

namespace {

/// A function with \p body after shareByDistance.
struct Shared {
  explicit Shared(StringRef body) {
    SMDiagnostic diagnostic;
    module = parseAssemblyString(
        ("target datalayout = \"p3:32:32-i64:64-n16:32:64\"\n"
         "define void @f(ptr %p, i32 %x, i32 %y, i64 %n, i1 %c) {\n" +
         body + "}\n")
            .str(),
        diagnostic, context);
    EXPECT_NE(module, nullptr) << diagnostic.getMessage().str();
    if (!module)
      return;
    Function &function = *module->getFunction("f");
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    AssumptionCache assumptions(function);
    TargetLibraryInfoImpl names{Triple("nvptx64-nvidia-cuda")};
    TargetLibraryInfo libraries(names);
    ScalarEvolution evolution(function, libraries, assumptions, dominators,
                              loops);
    changed = shareByDistance(dominators, evolution);
    EXPECT_FALSE(verifyFunction(function, &errs()));
    raw_string_ostream(text) << function;
  }

  /// Whether there is \p line.
  bool has(StringRef line) const {
    return StringRef(text).contains(("  " + line + "\n").str());
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
  bool changed = false;
  std::string text;
};

TEST(DeviceDistances, WhatIsAccessedIsShared) {
  Shared shared(R"(
  %w = and i32 %x, 1023
  %a = mul nuw i32 %w, 12
  %i = zext i32 %a to i64
  %q = getelementptr inbounds float, ptr %p, i64 %i
  store float 0.0, ptr %q
  %b = add nuw i32 %w, 2
  %d = mul nuw i32 %b, 12
  %j = zext i32 %d to i64
  %r = getelementptr inbounds float, ptr %p, i64 %j
  store float 0.0, ptr %r
  ret void
)");
  EXPECT_TRUE(shared.changed);
  EXPECT_TRUE(shared.has("%q = getelementptr inbounds float, ptr %p, i64 %i"))
      << shared.text;
  EXPECT_TRUE(shared.has("%r = getelementptr i8, ptr %q, i64 96"))
      << shared.text;
  EXPECT_FALSE(StringRef(shared.text).contains("%b ="));
}

TEST(DeviceDistances, FlagsOfWhatIsNotAccessedAreDropped) {
  Shared shared(R"(
  %i = add nsw i64 %n, 5
  %q = getelementptr inbounds float, ptr %p, i64 %i
  br i1 %c, label %yes, label %no
yes:
  store float 0.0, ptr %q
  br label %no
no:
  %j = add i64 %n, 7
  %r = getelementptr float, ptr %p, i64 %j
  store float 0.0, ptr %r
  ret void
)");
  EXPECT_TRUE(shared.has("%i = add i64 %n, 5")) << shared.text;
  EXPECT_TRUE(shared.has("%q = getelementptr float, ptr %p, i64 %i"))
      << shared.text;
  EXPECT_TRUE(shared.has("%r = getelementptr i8, ptr %q, i64 8"))
      << shared.text;
}

TEST(DeviceDistances, AccessesBehindSayNothing) {
  Shared shared(R"(
  %q = getelementptr inbounds float, ptr %p, i64 %n
  %j = add i64 %n, 7
  %r = getelementptr float, ptr %p, i64 %j
  store float 0.0, ptr %r
  call void %p() ; may not return
  store float 0.0, ptr %q
  ret void
)");
  EXPECT_TRUE(shared.has("%q = getelementptr float, ptr %p, i64 %n"))
      << shared.text;
  EXPECT_TRUE(shared.has("%r = getelementptr i8, ptr %q, i64 28"))
      << shared.text;
}

TEST(DeviceDistances, CountersKeepTheirFlags) {
  Shared shared(R"(
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %k, %loop ]
  %j = phi i32 [ 0, %entry ], [ %l, %loop ]
  %w = zext nneg i32 %i to i64
  %q = getelementptr float, ptr %p, i64 %w
  store float 0.0, ptr %q
  %k = add nuw nsw i32 %i, 4
  %l = add i32 %j, 4
  %e = icmp eq i32 %l, %x
  br i1 %e, label %end, label %loop
end:
  ret void
)");
  EXPECT_FALSE(shared.changed) << shared.text;
  EXPECT_TRUE(shared.has("%k = add nuw nsw i32 %i, 4")) << shared.text;
}

TEST(DeviceDistances, SumsOfWhatIsNeededAnywayStay) {
  StringRef body = R"(
  %a = shl i64 %n, 2
  %b = or disjoint i64 %a, 1
  %c1 = add i64 %b, 8
  %q = getelementptr i8, ptr %p, i64 %c1
  store i8 0, ptr %q
  %c2 = add i64 %b, 16
  store i64 %c2, ptr %p
  ret void
)";
  EXPECT_TRUE(Shared(body).has("%c2 = add i64 %b, 16"));
}

TEST(DeviceDistances, WhatMayBePoisonForMoreIsNotShared) {
  // %q is poison if %y is, %r is not.
  Shared more(R"(
  %z = mul i32 %y, 0
  %a = add i32 %x, %z
  %i = sext i32 %a to i64
  %q = getelementptr float, ptr %p, i64 %i
  %b = sext i32 %x to i64
  %j = add i64 %b, 1
  %r = getelementptr float, ptr %p, i64 %j
  store float 0.0, ptr %r
  ret void
)");
  EXPECT_TRUE(more.has("%r = getelementptr float, ptr %p, i64 %j"))
      << more.text;
  // Without its flag, the first is no sum.
  Shared either(R"(
  %a = shl i64 %n, 2
  %i = or disjoint i64 %a, 1
  %q = getelementptr i8, ptr %p, i64 %i
  %j = add i64 %a, 3
  %r = getelementptr i8, ptr %p, i64 %j
  store i8 0, ptr %r
  ret void
)");
  EXPECT_TRUE(either.has("%r = getelementptr i8, ptr %p, i64 %j"))
      << either.text;
}

TEST(DeviceDistances, FlagsThatAreReliedOnStay) {
  // sext(%x) - sext(%y) is not the extended difference if that wraps.
  Shared shared(R"(
  %a = sub nsw i32 %x, %y
  %i = sext i32 %a to i64
  %q = getelementptr float, ptr %p, i64 %i
  %b = sext i32 %x to i64
  %d = sext i32 %y to i64
  %e = sub i64 %b, %d
  %j = add i64 %e, 1
  %r = getelementptr float, ptr %p, i64 %j
  store float 0.0, ptr %r
  ret void
)");
  EXPECT_TRUE(shared.has("%a = sub nsw i32 %x, %y")) << shared.text;
  EXPECT_TRUE(shared.has("%r = getelementptr float, ptr %p, i64 %j"))
      << shared.text;
}

TEST(DeviceDistances, OneBranchDoesNotServeTheOther) {
  Shared shared(R"(
  br i1 %c, label %yes, label %no
yes:
  %q = getelementptr float, ptr %p, i64 %n
  store float 0.0, ptr %q
  ret void
no:
  %j = add i64 %n, 1
  %r = getelementptr float, ptr %p, i64 %j
  store float 0.0, ptr %r
  ret void
)");
  EXPECT_FALSE(shared.changed) << shared.text;
}

TEST(DeviceDistances, OneRoundOfALoopIsShared) {
  Shared shared(R"(
entry:
  br label %loop
loop:
  %k = phi i64 [ %n, %entry ], [ %l, %loop ]
  %q = getelementptr float, ptr %p, i64 %k
  store float 0.0, ptr %q
  %j = add i64 %k, 3
  %r = getelementptr float, ptr %p, i64 %j
  store float 0.0, ptr %r
  %l = add i64 %k, 8
  %e = icmp eq i64 %l, 800
  br i1 %e, label %end, label %loop
end:
  ret void
)");
  EXPECT_TRUE(shared.has("%r = getelementptr i8, ptr %q, i64 12"))
      << shared.text;
  EXPECT_TRUE(shared.has("%l = add i64 %k, 8")) << shared.text;
}

TEST(DeviceDistances, ConstantsOfTheSameValueStay) {
  Shared shared(R"(
  %q = getelementptr i8, ptr %p, i64 8
  store i8 0, ptr %q
  %r = getelementptr i8, ptr %p, i64 16
  store i8 0, ptr %r
  ret void
)");
  EXPECT_FALSE(shared.changed) << shared.text;
}

} // namespace
