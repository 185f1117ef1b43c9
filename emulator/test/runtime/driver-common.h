// What tests of the driver API share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPULTO_EMULATOR_TEST_DRIVER_COMMON_H
#define GPULTO_EMULATOR_TEST_DRIVER_COMMON_H

#include <cstdio>
#include <cuda.h>

/// Stores base, base + 1, ... as far as there are threads.
[[maybe_unused]] static const char kPtx[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 offset = 7;
.visible .entry fill(.param .u64 p, .param .u32 base)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [base];
  mov.u32 %r2, %tid.x;
  add.u32 %r3, %r1, %r2;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

[[maybe_unused]] static const char *name(CUresult result) {
  const char *text = nullptr;
  cuGetErrorName(result, &text);
  return text;
}

/// \p result: of the driver API, or of the runtime API, whose codes are the
/// same.
[[maybe_unused]] static void check(int result, int line) {
  if (result)
    printf("line %d: %s\n", line, name(static_cast<CUresult>(result)));
}
#define CHECK(call) check(call, __LINE__)

/// Loads kPtx into the current context and returns its kernel.
[[maybe_unused]] static CUfunction loadFill(CUmodule &module) {
  CUfunction fill = nullptr;
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&fill, module, "fill"));
  return fill;
}

/// Makes the first device's primary context the current one.
[[maybe_unused]] static CUcontext enterPrimary() {
  CUcontext context = nullptr;
  CHECK(cuInit(0));
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  return context;
}

#endif
