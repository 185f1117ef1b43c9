// The device side of what all files of a generated program share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "prelude.h"

constexpr u32 kElements = 1024;

/// Device memory that all kernels work on, made by main.
struct Workspace {
  u32 *in, *out;
  float *weights;
};
extern Workspace workspace;
u32 digestOutput(u32 sum);

__device__ inline u32 lane() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <u32 Size> __device__ u32 blockSum(u32 *shared, u32 value) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (u32 width = Size / 2; width > 0; width /= 2) {
    if (threadIdx.x < width)
      shared[threadIdx.x] += shared[threadIdx.x + width];
    __syncthreads();
  }
  return shared[0];
}

/// Kernels that several files instantiate.
template <class T, u32 Steps>
__global__ void transformAll(const u32 *in, u32 *out, u32 count, T scale) {
  u32 i = lane();
  if (i >= count)
    return;
  T value = (T)(in[i] & 255u);
  for (u32 step = 0; step < Steps; ++step)
    value = (T)((u32)(value * scale + (T)step) & 1023u);
  out[i] = mix(out[i], (u32)value);
}

template <u32 Size>
__global__ void reduceAll(const u32 *in, u32 *out, u32 count) {
  __shared__ u32 shared[Size];
  u32 sum = 0;
  for (u32 i = lane(); i < count; i += gridDim.x * blockDim.x)
    sum += in[i];
  sum = blockSum<Size>(shared, sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = mix(out[blockIdx.x], sum);
}
