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

/// Returns what the shared library \p path defines; nothing if it is none.
StringSet<> definedNames(StringRef path) {
  StringSet<> names;
  auto library = object::ObjectFile::createObjectFile(path);
  EXPECT_TRUE(bool(library)) << toString(library.takeError());
  auto *elf = library
                  ? dyn_cast<object::ELFObjectFileBase>(library->getBinary())
                  : nullptr;
  if (!elf)
    return names;
  for (const object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators())
    if (!(cantFail(symbol.getFlags()) & object::SymbolRef::SF_Undefined))
      names.insert(cantFail(symbol.getName()));
  return names;
}

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

TEST(CudaRuntimeTest, CopiesOfTheDriver) {
  const Function *up = findRuntimeFunction("cuMemcpyHtoD_v2_ptds");
  const Function *down = findRuntimeFunction("cuMemcpyDtoH_v2");
  ASSERT_TRUE(up && down);
  EXPECT_TRUE(up->isPerThread);
  EXPECT_EQ(up->reads, 1);
  EXPECT_EQ(up->writes, Function::kNone) << "a CUdeviceptr is no pointer";
  EXPECT_EQ(down->writes, 0);
  EXPECT_FALSE(findRuntimeFunction("cuMemcpyHtoD")) << "of CUDA 3.1";
  EXPECT_FALSE(isRuntime("cuMemAlloc_v2", Function::Allocates));
  for (StringRef name : {"cuMemcpyHtoDAsync_v2", "cuMemsetD32Async"})
    EXPECT_EQ(findRuntimeFunction(name)->stream, 3) << name.str();
  EXPECT_EQ(findRuntimeFunction("cuMemsetD2D8Async")->stream, 5);
}

/// Who asks whether memory lasts takes forms for per-thread default streams for
/// the functions themselves: none of those frees at once.
TEST(CudaRuntimeTest, NothingFreesPerThread) {
  for (const Function &row : runtimeFunctions())
    EXPECT_FALSE(row.has(Function::Frees) && row.perThread != Function::None)
        << row.name.str();
  EXPECT_TRUE(isRuntime("cudaMemcpy_ptds", Function::OnlyAccesses));
  EXPECT_TRUE(isRuntime("cudaMemsetAsync_ptsz", Function::OnlyAccesses));
  EXPECT_FALSE(isRuntime("cudaFreeAsync_ptsz", Function::OnlyAccesses));
}

TEST(CudaRuntimeTest, OnlyAccesses) {
  for (StringRef name : {"cudaMemcpy2DToArray", "cudaMemcpyFromArray_ptds",
                         "cudaMemset2DAsync", "cudaMemcpyToSymbolAsync_ptsz"})
    EXPECT_TRUE(isRuntime(name, Function::OnlyAccesses)) << name.str();
  // What keeps an address, frees it, or has it in a structure.
  for (StringRef name :
       {"cudaFree", "cudaHostRegister", "cudaPointerGetAttributes",
        "cudaCreateTextureObject", "cudaMemcpy3D", "cudaStreamAddCallback",
        "cudaLaunchHostFunc"})
    EXPECT_FALSE(isRuntime(name, Function::OnlyAccesses)) << name.str();
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
        "cuGetProcAddress_v2", "cudaLibraryGetUnifiedFunction",
        "cuLibraryGetUnifiedFunction", "cudaGetExportTable",
        "cuGetExportTable"})
    EXPECT_TRUE(isRuntime(name, Function::LooksUp)) << name.str();
  for (StringRef name : {"cudaGetKernel", "__cudaGetKernel",
                         "cudaGetFuncBySymbol", "cudaGraphNodeGetParams"})
    EXPECT_TRUE(isRuntime(name, Function::AsksForKernel)) << name.str();
  EXPECT_FALSE(isRuntime("cudaGetSymbolAddress", Function::LooksUp));
}

/// Contexts of the driver: the runtime's own is the only one that is followed.
TEST(CudaRuntimeTest, ContextsAreNotKnown) {
  for (StringRef name :
       {"cuCtxCreate_v2", "cuCtxCreate_v4", "cuCtxSetCurrent",
        "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuCtxDestroy_v2",
        "cuDevicePrimaryCtxReset_v2", "cuGreenCtxCreate", "cuLaunchKernel",
        "cuLaunchKernelEx", "cuMemAllocAsync", "cuMemFreeAsync"}) {
    const Function *row = findRuntimeFunction(name);
    EXPECT_FALSE(row && (row->order != Function::Unknown ||
                         row->stream != Function::kNone))
        << name.str();
  }
  for (StringRef name : {"cuCtxDestroy_v2", "cuDevicePrimaryCtxReset_v2"})
    EXPECT_TRUE(isRuntime(name, Function::Resets)) << name.str();
}

TEST(CudaRuntimeTest, WhatProgramsDependOn) {
  for (StringRef name : {"cudaMalloc", "cudaMallocAsync", "cudaFree",
                         "cudaFreeAsync_ptsz", "cudaMemcpy", "cudaMemcpyAsync",
                         "cudaLaunchKernel", "cudaGraphAddKernelNode",
                         "cudaFuncGetParamInfo", "cuDeviceGetAttribute"})
    EXPECT_TRUE(findRuntimeFunction(name)->isReliedOn()) << name.str();
  for (StringRef name : {"cudaGetKernel", "cuGetProcAddress", "cudaThreadExit",
                         "cuCtxDestroy_v2"})
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

/// Names of the driver are written as the toolkit's library has them; a row for
/// a later release says no more than that something is unknown.
TEST(CudaRuntimeTest, DriverHasItsNames) {
  SmallString<128> path(GPULTO_TEST_CUDA_PATH);
  sys::path::append(path, "lib64", "stubs", "libcuda.so");
  if (!sys::fs::exists(path))
    GTEST_SKIP() << "no library of the driver to link with";
  StringSet<> names = definedNames(path);
  ASSERT_TRUE(names.contains("cuInit"));
  for (const Function &row : runtimeFunctions()) {
    if (!isDriverName(row.name) || !row.isReliedOn())
      continue;
    EXPECT_TRUE(names.contains(row.name)) << row.name.str();
    if (row.perThread == Function::None) {
      EXPECT_FALSE(names.contains((row.name + "_ptds").str()) ||
                   names.contains((row.name + "_ptsz").str()))
          << row.name.str();
      continue;
    }
    StringRef suffix = row.perThread == Function::Ptds ? "_ptds" : "_ptsz";
    EXPECT_TRUE(names.contains((row.name + suffix).str())) << row.name.str();
  }
}

/// Of every function that the toolkit's runtime has there is a row, if only one
/// that says nothing: a new release of the toolkit is to be looked at.
TEST(CudaRuntimeTest, KnowsTheToolkit) {
  SmallString<128> path(GPULTO_TEST_CUDA_PATH);
  sys::path::append(path, "lib64", "libcudart.so");
  if (!sys::fs::exists(path))
    GTEST_SKIP() << "no shared CUDA runtime";
  unsigned known = 0;
  for (const auto &entry : definedNames(path)) {
    if (!isRuntimeName(entry.getKey()))
      continue;
    EXPECT_TRUE(findRuntimeFunction(entry.getKey())) << entry.getKey().str();
    ++known;
  }
  EXPECT_GT(known, 300u);
}

} // namespace
} // namespace gpulto
