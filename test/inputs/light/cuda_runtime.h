// CUDA for tests that need little of it: the runtime's own C API of the toolkit,
// the language, and what tests use of the functions above both. clang's wrapper of
// all headers takes ten times as long to read (1.8 s a compile), so tests that are
// about something else are compiled with %light, which stands for
// -nocudainc and this file; see test/lit.cfg.py.
#pragma once
#pragma clang system_header

#ifndef __CUDA__
#include_next <cuda_runtime.h>
#else
#define __CUDACC__ 1
#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#include <crt/host_defines.h>
#include <cuda_runtime_api.h>
#include <channel_descriptor.h>
#include <driver_functions.h>
#include <vector_functions.h>
#undef __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__
#undef __noinline__ // libstdc++ spells an attribute so

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                size_t sharedBytes = 0,
                                                void *stream = nullptr);

#include "__clang_cuda_builtin_vars.h"

// As in tools/driver/cuda-shim.
#ifdef __GPULTO_LGEN__
#undef __managed__
#define __managed__                                                            \
  __attribute__((device)) __attribute__((section("__nv_managed_data__")))
#endif

// ---- the runtime, for any type ----------------------------------------------

template <typename T> cudaError_t cudaMalloc(T **pointer, size_t bytes) {
  return ::cudaMalloc((void **)(void *)pointer, bytes);
}
template <typename T>
cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream) {
  return ::cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}
template <typename T>
cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned = 0) {
  return ::cudaMallocHost((void **)(void *)pointer, bytes);
}
template <typename T>
cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned flags) {
  return ::cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}
template <typename T>
cudaError_t cudaHostGetDevicePointer(T **pointer, void *host, unsigned flags) {
  return ::cudaHostGetDevicePointer((void **)(void *)pointer, host, flags);
}
template <typename T>
cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width,
                            size_t height) {
  return ::cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
template <typename T>
cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
                              unsigned flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                               size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                        size_t offset = 0,
                        cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                        cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset,
                                   kind, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                 size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T>
cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                          size_t offset = 0,
                          cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset,
                                     kind, stream);
}
template <typename T>
cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
  return ::cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <typename T>
cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  return ::cudaGetSymbolSize(bytes, (const void *)&symbol);
}
template <typename T>
cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void *)kernel, grid, block, arguments,
                            sharedBytes, stream);
}
template <typename T>
cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block,
                                        void **arguments,
                                        size_t sharedBytes = 0,
                                        cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block,
                                       arguments, sharedBytes, stream);
}
template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                               void (*kernel)(Parameters...),
                               Arguments &&...arguments) {
  return [&](Parameters... passed) {
    void *pointers[] = {&passed...};
    return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
  }(static_cast<Arguments &&>(arguments)...);
}
template <typename T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel) {
  return ::cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <typename T>
cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute,
                                 int value) {
  return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <typename T>
cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel,
                                              int blockThreads,
                                              size_t sharedBytes) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, (const void *)kernel, blockThreads, sharedBytes,
      cudaOccupancyDefault);
}

// ---- device code ------------------------------------------------------------

extern "C" __device__ int vprintf(const char *format, const char *arguments);
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void *malloc(size_t bytes) noexcept;
extern "C" __device__ void free(void *memory) noexcept;
extern "C" __device__ void __assertfail(const char *, const char *, unsigned,
                                        const char *, size_t);
static __device__ inline void __assert_fail(const char *condition,
                                            const char *file, unsigned line,
                                            const char *function) {
  __assertfail(condition, file, line, function, 1);
}

#define GPULTO_LIGHT_ATOMIC(name, type, builtin)                               \
  static __device__ inline type name(type *address, type value) {              \
    return builtin(address, value);                                            \
  }
GPULTO_LIGHT_ATOMIC(atomicAdd, int, __nvvm_atom_add_gen_i)
GPULTO_LIGHT_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f)
GPULTO_LIGHT_ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i)
GPULTO_LIGHT_ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i)
GPULTO_LIGHT_ATOMIC(atomicOr, int, __nvvm_atom_or_gen_i)
GPULTO_LIGHT_ATOMIC(atomicExch, int, __nvvm_atom_xchg_gen_i)
#undef GPULTO_LIGHT_ATOMIC
static __device__ inline unsigned atomicAdd(unsigned *address, unsigned value) {
  return (unsigned)__nvvm_atom_add_gen_i((int *)address, (int)value);
}
static __device__ inline unsigned long long
atomicAdd(unsigned long long *address, unsigned long long value) {
  return (unsigned long long)__nvvm_atom_add_gen_ll((long long *)address,
                                                    (long long)value);
}
static __device__ inline int atomicCAS(int *address, int compared, int value) {
  return __nvvm_atom_cas_gen_i(address, compared, value);
}
static __device__ inline unsigned atomicCAS(unsigned *address,
                                            unsigned compared, unsigned value) {
  return (unsigned)__nvvm_atom_cas_gen_i((int *)address, (int)compared,
                                         (int)value);
}
static __device__ inline void __threadfence() { __nvvm_membar_gl(); }
static __device__ inline void __threadfence_system() { __nvvm_membar_sys(); }
static __device__ inline void __threadfence_block() { __nvvm_membar_cta(); }
template <typename T>
static __device__ T __shfl_down_sync(unsigned lanes, T value, unsigned by) {
  int words[sizeof(T) / sizeof(int)];
  __builtin_memcpy(words, &value, sizeof(T));
  for (int &word : words)
    word = __nvvm_shfl_sync_down_i32(lanes, word, by, 31);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
static __device__ inline void __trap() { __builtin_trap(); }
static __device__ inline int __popc(unsigned value) {
  return __builtin_popcount(value);
}
#endif // __CUDA__
