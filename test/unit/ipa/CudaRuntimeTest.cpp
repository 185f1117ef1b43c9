//===- CudaRuntimeTest.cpp ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/runtime/CudaRuntime.h"

#include "gtest/gtest.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gpulto {
namespace {

using Function = RuntimeFunction;

TEST(CudaRuntimeTest, NamesStandOnce) {
  StringSet<> names;
  for (const Function &row : runtimeFunctions()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name.str();
    EXPECT_TRUE(isRuntimeName(row.name) || isDriverName(row.name))
        << row.name.str();
    EXPECT_EQ(findRuntimeFunction(row.name)->name, row.name);
  }
}

TEST(CudaRuntimeTest, RowsAreConsistent) {
  for (const Function &row : runtimeFunctions()) {
    SCOPED_TRACE(row.name.str());
    EXPECT_EQ(row.handle != Function::kNone, row.handleUse != 0);
    EXPECT_TRUE(row.order == Function::Unknown ||
                row.stream == Function::kNone);
    if (row.has(Function::Allocates) || row.writes != Function::kNone ||
        row.reads != Function::kNone) {
      EXPECT_NE(row.arguments, 0); // what tells it from others
      EXPECT_LT(row.writes, row.arguments);
      EXPECT_LT(row.reads, row.arguments);
    }
    if (row.has(Function::AllocatesForAll) ||
        row.has(Function::AllocatesOnDevice)) {
      EXPECT_TRUE(row.has(Function::Allocates));
    }
    EXPECT_FALSE(row.isPerThread);
  }
}

TEST(CudaRuntimeTest, PerThreadForms) {
  EXPECT_FALSE(findRuntimeFunction("cudaMemcpy")->isPerThread);
  const Function *copy = findRuntimeFunction("cudaMemcpy_ptds");
  ASSERT_TRUE(copy);
  EXPECT_TRUE(copy->isPerThread);
  EXPECT_EQ(copy->writes, 0);
  EXPECT_FALSE(findRuntimeFunction("cudaMemcpy_ptsz"));
  EXPECT_TRUE(findRuntimeFunction("cudaMemcpyAsync_ptsz"));
  EXPECT_FALSE(findRuntimeFunction("cudaMemcpyAsync_ptds"));
  EXPECT_EQ(launchKindOf("cudaLaunchKernel_ptsz"), LaunchKind::Runtime);
}

TEST(CudaRuntimeTest, Launches) {
  EXPECT_EQ(launchKindOf("cudaLaunchKernel"), LaunchKind::Runtime);
  EXPECT_EQ(launchKindOf("cudaLaunchKernelExC"), LaunchKind::RuntimeExC);
  EXPECT_EQ(launchKindOf("cudaLaunchCooperativeKernel"),
            LaunchKind::Cooperative);
  EXPECT_EQ(launchKindOf("__cudaCDP2LaunchDevice"), LaunchKind::Device);
  EXPECT_EQ(launchKindOf("cudaLaunchDevice"), LaunchKind::Device);
  EXPECT_EQ(launchKindOf("cudaLaunchHostFunc"), std::nullopt);
  EXPECT_TRUE(isRuntime("__cudaPushCallConfiguration", Function::PushesLaunch));
  EXPECT_TRUE(isRuntime("__cudaPopCallConfiguration", Function::PopsLaunch));
}

TEST(CudaRuntimeTest, Handles) {
  EXPECT_EQ(attributeUse("cudaFuncGetAttributes", 1), kQueriesHandle);
  EXPECT_EQ(attributeUse("cudaFuncGetAttributes", 0), 0);
  EXPECT_EQ(attributeUse("cudaFuncSetAttribute", 0), kSetsHandle);
  EXPECT_EQ(attributeUse("cudaFuncGetName", 1), kQueriesHandle | kSetsHandle);
  EXPECT_EQ(attributeUse("cudaMemcpy", 0), 0);
}

TEST(CudaRuntimeTest, Lookups) {
  for (StringRef name :
       {"cudaGetDriverEntryPoint", "cudaGetDriverEntryPoint_ptsz",
        "cudaGetDriverEntryPointByVersion_ptsz", "cuModuleGetFunction",
        "cuGetProcAddress_v2"})
    EXPECT_TRUE(isRuntime(name, Function::LooksUp)) << name.str();
  for (StringRef name : {"cudaGetKernel", "__cudaGetKernel",
                         "cudaGetFuncBySymbol", "cudaGraphNodeGetParams"})
    EXPECT_TRUE(isRuntime(name, Function::AsksForKernel)) << name.str();
  EXPECT_FALSE(isRuntime("cudaGetSymbolAddress", Function::LooksUp));
}

TEST(CudaRuntimeTest, WhatProgramsDependOn) {
  for (StringRef name :
       {"cudaMalloc", "cudaMallocAsync", "cudaFree", "cudaFreeAsync_ptsz",
        "cudaMemcpy", "cudaMemcpyAsync", "cudaLaunchKernel",
        "cudaGraphAddKernelNode", "cudaFuncGetParamInfo"})
    EXPECT_TRUE(findRuntimeFunction(name)->isReliedOn()) << name.str();
  for (StringRef name : {"cudaGetKernel", "cuGetProcAddress", "cudaThreadExit"})
    EXPECT_FALSE(findRuntimeFunction(name)->isReliedOn()) << name.str();
}

TEST(CudaRuntimeTest, Families) {
  for (StringRef name : {"cudaStreamEndCapture", "cudaStreamEndCapture_ptsz",
                         "cuStreamEndCapture"})
    EXPECT_TRUE(endsCapture(name)) << name.str();
  EXPECT_FALSE(endsCapture("cudaStreamBeginCapture"));
  for (StringRef name :
       {"cudaGraphKernelNodeSetParams", "cuGraphExecUpdate_v2",
        "cudaGraphKernelNodeSetAttribute", "cuGraphExecNodeSetParams"})
    EXPECT_TRUE(changesGraphs(name)) << name.str();
  EXPECT_FALSE(changesGraphs("cudaGraphLaunch"));
  EXPECT_TRUE(addsToGraphs("cudaGraphAddMemcpyNode1D"));
  EXPECT_TRUE(addsToGraphs("cuGraphAddKernelNode_v2"));
  EXPECT_FALSE(addsToGraphs("cudaGraphCreate"));
  EXPECT_TRUE(isDriverName("cuMemAlloc_v2"));
  EXPECT_FALSE(isDriverName("cudaMalloc"));
  EXPECT_FALSE(isDriverName("cu"));
  EXPECT_FALSE(isDriverName("curl_easy_init"));
}

/// Of every function that the toolkit's runtime has there is a row, if only one
/// that says nothing: a new release of the toolkit is to be looked at.
TEST(CudaRuntimeTest, KnowsTheToolkit) {
  SmallString<128> path(GPULTO_TEST_CUDA_PATH);
  sys::path::append(path, "lib64", "libcudart.so");
  if (!sys::fs::exists(path))
    GTEST_SKIP() << "no shared CUDA runtime";
  auto library = object::ObjectFile::createObjectFile(path);
  ASSERT_TRUE(bool(library)) << toString(library.takeError());
  auto *elf = dyn_cast<object::ELFObjectFileBase>(library->getBinary());
  ASSERT_TRUE(elf);
  unsigned known = 0;
  for (const object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators()) {
    StringRef name = cantFail(symbol.getName());
    if (!isRuntimeName(name) ||
        cantFail(symbol.getFlags()) & object::SymbolRef::SF_Undefined)
      continue;
    EXPECT_TRUE(findRuntimeFunction(name)) << name.str();
    ++known;
  }
  EXPECT_GT(known, 300u);
}

} // namespace
} // namespace gpulto
