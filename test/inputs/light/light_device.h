// Mathematical functions, those of lanes and clocks, and half numbers, for tests
// that %light compiles: clang's own headers of them (0.1 s a compile). A source
// includes this in front of cuda_fp16.h.
#pragma once
#pragma clang system_header

#ifdef __CUDA__
#include <cmath>
#include <cstring>
#include <cuda.h>
static __device__ inline unsigned __isShared(const void *address) {
  return __nvvm_isspacep_shared(address);
}
static __device__ inline size_t __cvta_generic_to_shared(const void *address) {
  return (size_t)(__attribute__((address_space(3))) const void *)address;
}
// cuda_runtime.h here has these.
#define __popc __gpulto_light_popc
#define __threadfence __gpulto_light_threadfence
#define __threadfence_block __gpulto_light_threadfence_block
#define __threadfence_system __gpulto_light_threadfence_system
#define __trap __gpulto_light_trap
#include "__clang_cuda_math_forward_declares.h"
#include "__clang_cuda_libdevice_declares.h"
#include "__clang_cuda_device_functions.h"
#include "__clang_cuda_math.h"
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#include "__clang_cuda_intrinsics.h"
#undef __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#undef __popc
#undef __threadfence
#undef __threadfence_block
#undef __threadfence_system
#undef __trap
#endif
