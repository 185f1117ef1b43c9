//===- KernelCutTest.cpp - Some kernels of a device partition -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "lto/check/KernelCut.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lto/device/DeviceCodegen.h"
#include "lto/host/HostCodegen.h"
#include "test/unit/ErrorChecks.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace gpulto;
using namespace llvm;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {
class KernelCutTest : public testing::Test {
protected:
  /// Parses \p text, in which all functions whose names start with `k` become
  /// kernels.
  Module &parse(StringRef text) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    if (!module) {
      ADD_FAILURE() << error.getMessage().str();
      abort();
    }
    module->setTargetTriple(Triple("nvptx64-nvidia-cuda"));
    for (Function &function : *module)
      if (function.getName().starts_with("k"))
        function.setCallingConv(CallingConv::PTX_Kernel);
    return *module;
  }
  LLVMContext context;
  std::unique_ptr<Module> module;
};
} // namespace

TEST_F(KernelCutTest, CallsAndMemoryKeepAKernelSeparable) {
  KernelReaches reaches = findReaches(parse(R"(
    @counter = internal addrspace(1) global i32 0
    @visible = addrspace(1) global i32 0
    @tile = internal addrspace(3) global [32 x i32] undef
    @table = internal unnamed_addr addrspace(1) constant [2 x i32] zeroinitializer
    declare i32 @vprintf(ptr, ptr)
    define internal void @helper() {
      store i32 1, ptr addrspace(1) @counter
      ret void
    }
    define void @k1() {
      call void @helper()
      ret void
    }
    define void @k2() {
      store i32 1, ptr addrspace(1) @visible
      store i32 1, ptr addrspace(3) @tile
      %a = load i32, ptr addrspace(1) @table
      %b = call i32 @vprintf(ptr null, ptr null)
      ret void
    })"));
  ASSERT_EQ(reaches.size(), 2u);
  EXPECT_TRUE(reaches["k1"].isSeparable);
  EXPECT_THAT(reaches["k1"].variables, ElementsAre("counter"));
  EXPECT_TRUE(reaches["k2"].isSeparable);
  EXPECT_THAT(reaches["k2"].variables, IsEmpty());
}

TEST_F(KernelCutTest, WhatHasAnIdentityDoesNot) {
  KernelReaches reaches = findReaches(parse(R"(
    @pointers = internal addrspace(1) global [1 x ptr] [ptr @target]
    @compared = internal addrspace(1) constant i32 7
    @other = alias void (), ptr @aliased
    define internal void @target() {
      ret void
    }
    define internal void @aliased() {
      ret void
    }
    define void @open() {
      ret void
    }
    define void @k1() {
      %f = load ptr, ptr addrspace(1) @pointers
      call void %f()
      ret void
    }
    define void @k2(ptr %out) {
      store ptr addrspace(1) @compared, ptr %out
      ret void
    }
    define void @k3() {
      call void @other()
      ret void
    }
    define void @k4() {
      call void @open()
      ret void
    }
    define void @k5() {
      ret void
    })"));
  for (const char *name : {"k3", "k4"})
    EXPECT_FALSE(reaches[name].isSeparable) << name;
  for (const char *name : {"k1", "k2", "k5"})
    EXPECT_TRUE(reaches[name].isSeparable) << name;
  EXPECT_THAT(reaches["k1"].fixtures, ElementsAre("target"));
  EXPECT_THAT(reaches["k2"].fixtures, ElementsAre("compared"));
  EXPECT_THAT(reaches["k5"].fixtures, IsEmpty());
}

TEST_F(KernelCutTest, WhatOthersUseIsKeptForThem) {
  Module &partition = parse(R"(
    @shared = internal addrspace(1) global i32 0
    @own = internal addrspace(1) global i32 0
    define internal void @both() {
      store i32 1, ptr addrspace(1) @shared
      ret void
    }
    define internal void @mine() {
      store i32 1, ptr addrspace(1) @own
      ret void
    }
    define void @k1() {
      call void @both()
      call void @mine()
      ret void
    }
    define void @k2() {
      call void @both()
      ret void
    })");
  initializeTargets();
  ASSERT_VALUE(machine,
               createDeviceMachine(partition, "sm_90", /*optLevel=*/2));
  KernelCut cut(partition, *machine, {"k1"});
  for (const char *name : {"both", "shared"})
    EXPECT_FALSE(partition.getNamedValue(name)->hasLocalLinkage()) << name;
  for (const char *name : {"mine", "own"})
    EXPECT_TRUE(partition.getNamedValue(name)->hasLocalLinkage()) << name;
  EXPECT_FALSE(partition.getNamedValue("k1")->hasLocalLinkage());
  EXPECT_EQ(partition.getNamedValue("k2"), nullptr);
  cut.finish();
  EXPECT_TRUE(partition.getNamedValue("both")->hasLocalLinkage());
}
