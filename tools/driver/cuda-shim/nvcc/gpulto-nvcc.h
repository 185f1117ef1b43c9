//===- gpulto-nvcc.h - What nvcc declares and clang does not --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Before each CUDA source, after clang's own header of CUDA.
//
//===----------------------------------------------------------------------===//
#if defined(__CUDA__) && defined(__cplusplus)
#pragma clang system_header

// nvcc's is 1, for #if; clang's is empty.
#undef __CUDACC__
#define __CUDACC__ 1

#include "gpulto-nvcc-libraries.h"

// Device code may use new and delete without any header, host code isfinite and
// its like, and what else the C headers below declare: nvcc's own headers
// include them (crt/common_functions.h).
#include <assert.h>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Groups of the blocks of a cluster: clang's header has what they need.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define _CG_CLUSTER_INTRINSICS_AVAILABLE
#endif

// Loads and stores with a cache operator: the toolkit implements them, clang
// leaves them out (it passes over that header) for what stands beside them.
#undef __SM_32_INTRINSICS_HPP__
#define __ldg __gpulto_toolkit_ldg
#define __funnelshift_l __gpulto_toolkit_funnelshift_l
#define __funnelshift_lc __gpulto_toolkit_funnelshift_lc
#define __funnelshift_r __gpulto_toolkit_funnelshift_r
#define __funnelshift_rc __gpulto_toolkit_funnelshift_rc
#define __ldcg __gpulto_toolkit_ldcg
#define __ldcs __gpulto_toolkit_ldcs
#define __ldcv __gpulto_toolkit_ldcv
#define __stwt __gpulto_toolkit_stwt
#include "sm_32_intrinsics.hpp"
#undef __ldcg
#undef __ldcs
#undef __ldcv
#undef __stwt
#undef __ldg
#undef __funnelshift_l
#undef __funnelshift_lc
#undef __funnelshift_r
#undef __funnelshift_rc

#include "gpulto-nvcc-atomics.h"

// nvcc's front end knows these, which the device runtime's header only declares
// (cuda_device_runtime_api.h).
template <typename T>
__attribute__((device)) inline cudaError_t cudaMalloc(T **address,
                                                      size_t size) {
  return cudaMalloc((void **)(void *)address, size);
}
template <typename T>
__attribute__((device)) inline cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) {
  return cudaFuncGetAttributes(attributes, (const void *)function);
}
template <typename T>
__attribute__((device)) inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int size,
                                              size_t dynamic) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, (const void *)function, size, dynamic);
}
template <typename T>
__attribute__((device)) inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function,
                                                       int size, size_t dynamic,
                                                       unsigned flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, (const void *)function, size, dynamic, flags);
}

// CUB's algorithms, which device code may call then, hold objects of NVTX that
// it never makes, of a class whose destructor is the host's.
#if defined(__CUDACC_RDC__) && defined(__CUDA_ARCH__) &&                       \
    !defined(CCCL_DISABLE_NVTX)
#define CCCL_DISABLE_NVTX
#endif

// New in CUDA 13; the host's C library has one of this name.
extern "C" __attribute__((device)) inline float __tanhf(float a) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
  float result;
  asm("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(a));
  return result;
#else
  return tanhf(a);
#endif
}
// -use_fast_math (tools/driver/DriverNvccCommands.cpp).
#ifdef __nv_tanhf
extern "C" __attribute__((device)) inline float __gpulto_fast_tanhf(float a) {
  return __tanhf(a);
}
#endif

// What clang does not know of variables and kernels, as LGEN and our clang read
// it (lto/lgen/ModuleRepair). Without them, and where the architecture has no
// clusters, clang warns.
#ifdef __GPULTO_LGEN__
#undef __managed__
#define __managed__                                                            \
  __attribute__((device)) __attribute__((section("__nv_managed_data__")))
#endif
#if defined(__GPULTO_LGEN__) || defined(__GPULTO_CLANG__)
#undef __maxnreg__
#ifdef __CUDA_ARCH__
#define __maxnreg__(N) __attribute__((annotate("gpulto.maxnreg", N)))
#else
#define __maxnreg__(N)
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#undef __cluster_dims__
#ifdef __CUDA_ARCH__
#define __cluster_dims__(...)                                                  \
  __attribute__((annotate("gpulto.cluster_dims", __VA_ARGS__)))
#else
#define __cluster_dims__(...)
#endif
#endif
#endif

// nvcc's headers give host code min and max of numbers in the global namespace
// (crt/math_functions.hpp); clang gives them to device code only.
#define GPULTO_MIN_MAX(RESULT, A, B)                                           \
  __attribute__((host)) inline RESULT min(const A a, const B b) {              \
    return static_cast<RESULT>(b) < static_cast<RESULT>(a)                     \
               ? static_cast<RESULT>(b)                                        \
               : static_cast<RESULT>(a);                                       \
  }                                                                            \
  __attribute__((host)) inline RESULT max(const A a, const B b) {              \
    return static_cast<RESULT>(a) < static_cast<RESULT>(b)                     \
               ? static_cast<RESULT>(b)                                        \
               : static_cast<RESULT>(a);                                       \
  }
#define GPULTO_MIN_MAX_INTEGER(TYPE)                                           \
  GPULTO_MIN_MAX(TYPE, TYPE, TYPE)                                             \
  GPULTO_MIN_MAX(unsigned TYPE, unsigned TYPE, unsigned TYPE)                  \
  GPULTO_MIN_MAX(unsigned TYPE, TYPE, unsigned TYPE)                           \
  GPULTO_MIN_MAX(unsigned TYPE, unsigned TYPE, TYPE)
// One that is not a number is the other one.
#define GPULTO_MIN_MAX_FLOATING(RESULT, A, B, SUFFIX)                          \
  __attribute__((host)) inline RESULT min(const A a, const B b) {              \
    return __builtin_fmin##SUFFIX(a, b);                                       \
  }                                                                            \
  __attribute__((host)) inline RESULT max(const A a, const B b) {              \
    return __builtin_fmax##SUFFIX(a, b);                                       \
  }

GPULTO_MIN_MAX_INTEGER(int)
GPULTO_MIN_MAX_INTEGER(long)
GPULTO_MIN_MAX_INTEGER(long long)
GPULTO_MIN_MAX_FLOATING(float, float, float, f)
GPULTO_MIN_MAX_FLOATING(double, double, double, )
GPULTO_MIN_MAX_FLOATING(double, float, double, )
GPULTO_MIN_MAX_FLOATING(double, double, float, )

// Those of numbers of one type have names of their own as well.
#define GPULTO_MIN_MAX_NAMED(PREFIX, TYPE)                                     \
  __attribute__((host)) inline TYPE PREFIX##min(const TYPE a, const TYPE b) {  \
    return b < a ? b : a;                                                      \
  }                                                                            \
  __attribute__((host)) inline TYPE PREFIX##max(const TYPE a, const TYPE b) {  \
    return a < b ? b : a;                                                      \
  }
GPULTO_MIN_MAX_NAMED(u, unsigned)
GPULTO_MIN_MAX_NAMED(ll, long long)
GPULTO_MIN_MAX_NAMED(ull, unsigned long long)

// glibc has the one of double only.
__attribute__((host)) inline void sincos(const float a, float *const sine,
                                         float *const cosine) {
  __builtin_sincosf(a, sine, cosine);
}

#undef GPULTO_MIN_MAX_NAMED
#undef GPULTO_MIN_MAX_FLOATING
#undef GPULTO_MIN_MAX_INTEGER
#undef GPULTO_MIN_MAX

#endif
