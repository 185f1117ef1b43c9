// What generated programs use of CUDA. The toolkit's headers cost a second for
// each file and side, so most programs declare the little that they need.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#if defined(__CUDA__) || defined(__CUDACC__)
#define RANDOM_CUDA
#endif
#ifdef RANDOM_REAL_HEADERS
#include <cstdio>
#include <cuda_runtime.h>
#include <pthread.h>
#else // not the toolkit's headers
#ifdef RANDOM_CUDA
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#endif

typedef decltype(sizeof(0)) size_t;
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1,
                                     unsigned z = 1)
      : x(x), y(y), z(z) {}
};
enum cudaError_t : int { cudaSuccess };
enum cudaMemcpyKind : int {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed,
};
struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams, **extra;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  struct cudaLaunchAttribute_st *attrs;
  unsigned numAttrs;
};
#ifdef RANDOM_CUDA // a lambda that launches is one for the device, too
extern "C" __device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3,
                                                   unsigned, cudaStream_t);
extern "C" __device__ void *cudaGetParameterBuffer(size_t, size_t);
#endif
extern "C" {
int printf(const char *, ...);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0,
                                     cudaStream_t = nullptr);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                             cudaStream_t);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *,
                                void **);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *,
                                                          int, size_t);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaMallocManaged(void **, size_t, unsigned);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t,
                               cudaMemcpyKind);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t,
                                 cudaMemcpyKind);
cudaError_t cudaGetSymbolAddress(void **, const void *);
cudaError_t cudaFree(void *);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind,
                            cudaStream_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaSetDevice(int);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned);
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t,
                                   const cudaGraphNode_t *, size_t,
                                   const cudaKernelNodeParams *);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t,
                                         cudaKernelNodeParams *);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t,
                                         const cudaKernelNodeParams *);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t,
                                             const cudaKernelNodeParams *);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t,
                                 unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
}
#ifdef RANDOM_CUDA
#include <__clang_cuda_builtin_vars.h>
inline __device__ unsigned atomicAdd(unsigned *p, unsigned v) {
  return __nvvm_atom_add_gen_i((int *)p, (int)v);
}
inline __device__ unsigned atomicMax(unsigned *p, unsigned v) {
  return __nvvm_atom_max_gen_ui(p, v);
}
inline __device__ unsigned atomicXor(unsigned *p, unsigned v) {
  return __nvvm_atom_xor_gen_i((int *)p, (int)v);
}
inline __device__ unsigned __shfl_xor_sync(unsigned mask, unsigned v, int o) {
  return __nvvm_shfl_sync_bfly_i32(mask, (int)v, o, 31);
}
inline __device__ int __syncthreads_or(int v) { return __nvvm_bar0_or(v); }
inline __device__ void __threadfence() { __nvvm_membar_gl(); }
#endif
#endif

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef u32 (*binary)(u32, u32);

#ifdef __CUDA_ARCH__
#define RANDOM_ARCH (__CUDA_ARCH__ / 10)
#else
#define RANDOM_ARCH 1
#endif

// Assembly of one thread, some of which has to be replaced, beside what it means.
__host__ __device__ inline u32 bytesSum(u32 a, u32 b) {
  u32 sum = 0;
#ifdef __CUDA_ARCH__
  asm("vadd4.s32.s32.s32.sat %0,%1,%2,%3;" : "=r"(sum) : "r"(a), "r"(b), "r"(0));
#else
  for (int at = 0; at < 32; at += 8) {
    int lane = (signed char)(a >> at) + (signed char)(b >> at);
    sum |= (u32)((lane < -128 ? -128 : lane > 127 ? 127 : lane) & 255) << at;
  }
#endif
  return sum;
}
__host__ __device__ inline u32 bytesAreLess(u32 a, u32 b) {
  u32 mask = 0;
#ifdef __CUDA_ARCH__
  asm("vset4.u32.u32.lt %0,%1,%2,%3;" : "=r"(mask) : "r"(a), "r"(b), "r"(0));
  mask *= 255;
#else
  for (int at = 0; at < 32; at += 8)
    mask |= (a >> at & 255) < (b >> at & 255) ? 255u << at : 0;
#endif
  return mask;
}
__host__ __device__ inline u32 halvesAverage(u32 a, u32 b) {
#ifdef __CUDA_ARCH__
  u32 average;
  asm("{ .reg .u16 x, y, z, w; .reg .u32 s, t;\n"
      "mov.b32 {x, y}, %1; mov.b32 {z, w}, %2;\n"
      "cvt.u32.u16 s, x; cvt.u32.u16 t, z; add.u32 s, s, t; shr.u32 s, s, 1;\n"
      "cvt.u16.u32 x, s; cvt.u32.u16 s, y; cvt.u32.u16 t, w; add.u32 s, s, t;\n"
      "shr.u32 s, s, 1; cvt.u16.u32 y, s; mov.b32 %0, {x, y}; }"
      : "=r"(average) : "r"(a), "r"(b));
  return average;
#else
  return ((a & 0xffff) + (b & 0xffff)) >> 1 |
         ((a >> 16) + (b >> 16)) >> 1 << 16;
#endif
}
__host__ __device__ inline u32 bitsOf(float value) {
  u32 bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}
__host__ __device__ inline u64 bitsOf(double value) {
  u64 bits;
  __builtin_memcpy(&bits, &value, 8);
  return bits;
}
#ifdef RANDOM_CUDA
/// The number of this thread among all.
__device__ inline u32 globalId() {
  u32 block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  u32 size = blockDim.x * blockDim.y * blockDim.z;
  return block * size + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
         threadIdx.x;
}
__device__ inline u32 localId() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline u32 blockThreads() {
  return blockDim.x * blockDim.y * blockDim.z;
}
__device__ inline u32 warpSum(u32 value) {
  for (int distance = 16; distance; distance /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}
// Of blocks of whole warps; the first warp adds up the sums of all.
__device__ inline u32 sumOfWarps(u32 *tile, u32 value, u32 twice) {
  value = warpSum(value);
  if (localId() % 32 == 0)
    tile[localId() / 32] = value;
  __syncthreads();
  if (localId() < 32) {
    u32 sum = localId() < blockThreads() / 32 ? tile[localId()] : 0;
    sum = warpSum(sum);
    if (twice & 1)
      sum = warpSum(sum + localId());
    tile[localId()] = sum;
  }
  __syncthreads();
  u32 sum = tile[0];
  __syncthreads();
  return sum;
}
#endif
