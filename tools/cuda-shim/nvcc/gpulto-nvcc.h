//===- gpulto-nvcc.h - What nvcc declares and clang does not --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Before each CUDA source, after clang's own header of CUDA.
//
//===----------------------------------------------------------------------===//
#if defined(__CUDA__) && defined(__cplusplus)
#pragma clang system_header

// Device code may use new and delete without any header, host code isfinite and
// its like.
#include <math.h>
#include <new>

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

// What clang does not know of kernels, as LGEN reads it (lto/ModuleRepair).
// Without LGEN, and where the architecture has no clusters, clang warns.
#ifdef __GPULTO_LGEN__
#undef __managed__
#define __managed__                                                            \
  __attribute__((device)) __attribute__((section("__nv_managed_data__")))
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

#undef GPULTO_MIN_MAX_FLOATING
#undef GPULTO_MIN_MAX_INTEGER
#undef GPULTO_MIN_MAX

#endif
