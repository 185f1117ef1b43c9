// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block reduces a stretch of the input in shared memory; its size is that of
// the launch.
#include "reduction.h"

template <class Combine>
__device__ float reduceBlock(float value, Combine combine) {
  extern __shared__ float partial[];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step)
      partial[threadIdx.x] =
          combine(partial[threadIdx.x], partial[threadIdx.x + step]);
    __syncthreads();
  }
  return partial[0];
}

template <class Combine>
__device__ void reduceGrid(const float *in, float *out, size_t count,
                           float start, Combine combine) {
  float value = start;
  size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    value = combine(value, in[i]);
  value = reduceBlock(value, combine);
  if (threadIdx.x == 0)
    out[blockIdx.x] = value;
}

__global__ void sumBlocks(const float *in, float *out, size_t count) {
  reduceGrid(in, out, count, 0.0f, [](float a, float b) { return a + b; });
}

__global__ void largestBlocks(const float *in, float *out, size_t count) {
  reduceGrid(in, out, count, -3.0e38f,
             [](float a, float b) { return a > b ? a : b; });
}
