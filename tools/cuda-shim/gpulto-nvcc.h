//===- gpulto-nvcc.h - What nvcc declares and clang does not --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Before each CUDA source that gpulto-nvcc compiles. nvcc's headers give host
// code min and max of numbers in the global namespace
// (crt/math_functions.hpp); clang gives them to device code only.
//
//===----------------------------------------------------------------------===//
#if defined(__CUDA__) && defined(__cplusplus)
#pragma clang system_header

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
