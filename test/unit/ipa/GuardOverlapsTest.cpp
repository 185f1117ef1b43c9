//===- GuardOverlapsTest.cpp - What a stub tests before a launch ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The test is put before a launch whose arguments are constants, and folded:
// the handle that is left says what the host would have launched.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"
#include "ipa/guards/GuardsTransform.h"
#include "summary/Launches.h"
#include "test/unit/Analyses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"

using namespace gpulto;

namespace {

/// A launch of a kernel with two pointers, a size, and a struct of a pointer
/// and a size of 64 bits.
struct Launch {
  uint64_t p = 0x100000, q = 0x200000;
  int32_t n = 16;
  uint64_t inStruct = 0x300000;
  int64_t wide = 16;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
};

std::string textOf(const Launch &launch) {
  auto number = [](uint64_t value) { return std::to_string(value); };
  auto pair = [&](const uint32_t (&size)[3]) {
    return "i64 " + number(uint64_t(size[1]) << 32 | size[0]) + ", i32 " +
           number(size[2]);
  };
  return R"(
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-n8:16:32:64"
target triple = "x86_64-pc-linux-gnu"
declare i32 @cudaLaunchKernel(ptr, i64, i32, i64, i32, ptr, i64, ptr)
declare void @guarded()
define void @stub() {
  %p = alloca i64
  %q = alloca i64
  %n = alloca i32
  %s = alloca [2 x i64]
  %arguments = alloca [4 x ptr]
  store i64 )" +
         number(launch.p) + ", ptr %p\n  store i64 " + number(launch.q) +
         ", ptr %q\n  store i32 " + std::to_string(launch.n) +
         ", ptr %n\n  store i64 " + number(launch.inStruct) +
         ", ptr %s\n  %second = getelementptr i8, ptr %s, i64 8\n"
         "  store i64 " +
         std::to_string(launch.wide) +
         R"(, ptr %second
  store ptr %p, ptr %arguments
  %1 = getelementptr i8, ptr %arguments, i64 8
  store ptr %q, ptr %1
  %2 = getelementptr i8, ptr %arguments, i64 16
  store ptr %n, ptr %2
  %3 = getelementptr i8, ptr %arguments, i64 24
  store ptr %s, ptr %3
  %4 = call i32 @cudaLaunchKernel(ptr @stub, )" +
         pair(launch.grid) + ", " + pair(launch.block) +
         ", ptr %arguments, i64 0, ptr null)\n  ret void\n}\n";
}

/// Returns whether \p launch launches the version for \p guard.
bool takesGuarded(const Launch &launch, const OverlapGuard &guard) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(textOf(launch), problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  llvm::Function *stub = module->getFunction("stub");
  EXPECT_TRUE(applyGuardTest(*stub, FunctionFacts(), guard,
                             *module->getFunction("guarded")));
  EXPECT_FALSE(llvm::verifyModule(*module));
  Analyses analyses;
  llvm::PassBuilder()
      .buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(*module, analyses.modules);
  for (llvm::Instruction &instruction : llvm::instructions(*stub))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        call && call->arg_size() == 8) {
      EXPECT_TRUE(llvm::isa<llvm::Function>(call->getArgOperand(0)));
      return call->getArgOperand(0)->getName() == "guarded";
    }
  ADD_FAILURE() << "no launch";
  return false;
}

const LaunchValue kSize{false, 2, false, 0, 32}, kWide{false, 3, true, 8, 64};

LaunchSum bytes(const LaunchValue &size, int64_t each = 4) {
  return *multiplySums(launchConstant(each), launchSymbol(size));
}

/// p and q, each touched from 0 to 4 n.
OverlapGuard pairOf(const LaunchSum &end) {
  LaunchSum zero;
  return {{{{0}, {zero}, {end}, {}}, {{1}, {zero}, {end}, {}}}, {{0, 1}}};
}

TEST(GuardOverlaps, ExtentsMayTouchButNotOverlap) {
  OverlapGuard guard = pairOf(bytes(kSize));
  Launch launch;
  EXPECT_TRUE(takesGuarded(launch, guard));
  launch.q = launch.p + 64;
  EXPECT_TRUE(takesGuarded(launch, guard));
  launch.q = launch.p - 64;
  EXPECT_TRUE(takesGuarded(launch, guard));
  for (int64_t distance : {-63, -1, 0, 1, 63}) {
    launch.q = launch.p + distance;
    EXPECT_FALSE(takesGuarded(launch, guard)) << distance;
  }
}

TEST(GuardOverlaps, NegativeSizesAreNoSizes) {
  Launch launch;
  for (int32_t n : {-1, INT32_MIN}) {
    launch.n = n;
    EXPECT_FALSE(takesGuarded(launch, pairOf(bytes(kSize))));
  }
  launch.n = 0;
  launch.q = launch.p;
  EXPECT_TRUE(takesGuarded(launch, pairOf(bytes(kSize))));
}

TEST(GuardOverlaps, WhatDoesNotFitLaunchesTheKernelAsItWas) {
  OverlapGuard guard = pairOf(bytes(kWide));
  Launch launch;
  EXPECT_TRUE(takesGuarded(launch, guard));
  // 4 n wraps to 0; to a small number; p + 4 n does not fit.
  for (int64_t n : {int64_t(1) << 62, (int64_t(1) << 62) + 1,
                    (int64_t(1) << 61) - 1, int64_t(-1)}) {
    launch.wide = n;
    EXPECT_FALSE(takesGuarded(launch, guard)) << n;
  }
  // Addresses of the upper half are none that the test understands.
  launch.wide = 16;
  launch.q = uint64_t(1) << 63;
  EXPECT_FALSE(takesGuarded(launch, guard));
}

TEST(GuardOverlaps, EndsAreLeastAndGreatest) {
  OverlapGuard guard = pairOf(bytes(kSize));
  guard.pointers[0].lows.push_back(launchConstant(-8));
  guard.pointers[0].highs.push_back(launchConstant(100));
  Launch launch;
  launch.q = launch.p + 100;
  EXPECT_TRUE(takesGuarded(launch, guard));
  launch.q = launch.p + 99;
  EXPECT_FALSE(takesGuarded(launch, guard));
  launch.q = launch.p - 64 - 8;
  EXPECT_TRUE(takesGuarded(launch, guard));
  launch.q = launch.p - 64 - 7;
  EXPECT_FALSE(takesGuarded(launch, guard));
}

TEST(GuardOverlaps, PremisesMustHold) {
  // No thread has a number of 2^31.
  OverlapGuard guard = pairOf(bytes(kSize));
  LaunchSum threads =
      *multiplySums(launchSymbol({true, kGridX, false, 0, 32}),
                    launchSymbol({true, kBlockX, false, 0, 32}));
  guard.pointers[1].premises = {
      *subtractSums(launchConstant(int64_t(1) << 31), threads)};
  Launch launch;
  launch.grid[0] = 1 << 21;
  launch.block[0] = 1024;
  EXPECT_TRUE(takesGuarded(launch, guard));
  launch.grid[0] += 1;
  EXPECT_FALSE(takesGuarded(launch, guard));
}

TEST(GuardOverlaps, EachDimensionIsItsOwn) {
  Launch launch;
  uint32_t *sizes[] = {&launch.grid[0],  &launch.grid[1],  &launch.grid[2],
                       &launch.block[0], &launch.block[1], &launch.block[2]};
  for (uint32_t component = kGridX; component <= kBlockZ; ++component) {
    for (uint32_t *size : sizes)
      *size = 3;
    launch.q = launch.p + 4 * 7;
    OverlapGuard guard = pairOf(bytes({true, component, false, 0, 32}));
    *sizes[component] = 7;
    EXPECT_TRUE(takesGuarded(launch, guard)) << component;
    *sizes[component] = 8;
    EXPECT_FALSE(takesGuarded(launch, guard)) << component;
  }
}

TEST(GuardOverlaps, PointersMayBePartsOfStructs) {
  OverlapGuard guard = pairOf(bytes(kWide));
  guard.pointers[1].pointer = {3, true, 0};
  Launch launch;
  launch.inStruct = launch.p + 64;
  EXPECT_TRUE(takesGuarded(launch, guard));
  launch.inStruct -= 1;
  EXPECT_FALSE(takesGuarded(launch, guard));
}

TEST(GuardOverlaps, PairsOfNoPointersHoldNever) {
  OverlapGuard guard = pairOf(bytes(kSize));
  guard.pairs = {{0, 2}};
  EXPECT_FALSE(takesGuarded(Launch(), guard));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

constexpr const char *kKernel = R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @kernel(ptr %a, ptr %b, ptr %c) {
  %other = load ptr, ptr %c
  %x = load float, ptr %a
  %next = getelementptr float, ptr %b, i64 1
  store float %x, ptr %next
  store float %x, ptr %other
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 8, i1 false)
  ret void
}
)";

TEST(GuardOverlaps, OnlyAccessesOfPairsAreMarked) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(kKernel, problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  llvm::Function &kernel = *module->getFunction("kernel");
  OverlapGuard guard{{{{0}, {}, {}, {}}, {{1}, {}, {}, {}}}, {{0, 1}}};
  EXPECT_TRUE(applyOverlap(kernel, guard));
  EXPECT_FALSE(llvm::verifyModule(*module));
  std::vector<const llvm::Instruction *> marked;
  for (const llvm::Instruction &instruction : llvm::instructions(kernel))
    if (instruction.hasMetadata(llvm::LLVMContext::MD_alias_scope)) {
      EXPECT_TRUE(instruction.hasMetadata(llvm::LLVMContext::MD_noalias));
      marked.push_back(&instruction);
    }
  // Neither what goes through a third pointer nor a copy, which is of both.
  ASSERT_EQ(marked.size(), 2u);
  EXPECT_EQ(marked[0]->getName(), "x");
  EXPECT_TRUE(llvm::isa<llvm::StoreInst>(marked[1]));
  EXPECT_EQ(marked[0]->getMetadata(llvm::LLVMContext::MD_alias_scope),
            marked[1]->getMetadata(llvm::LLVMContext::MD_noalias));
}

TEST(GuardOverlaps, PointersThatGoElsewhereAreNotMarked) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(
      "define void @kernel(ptr %a, ptr %b) {\n"
      "  store float 1.0, ptr %a\n  %x = load float, ptr %b\n"
      "  store ptr %a, ptr %b\n  ret void\n}\n",
      problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  OverlapGuard guard{{{{0}, {}, {}, {}}, {{1}, {}, {}, {}}}, {{0, 1}}};
  EXPECT_FALSE(applyOverlap(*module->getFunction("kernel"), guard));
}

} // namespace
