// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over a block; every thread gets the result.
#include "softmax.h"

__device__ float blockSum(float value, float *scratch) {
  unsigned lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  unsigned warps = (blockDim.x + warpSize - 1) / warpSize;
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, offset);
  __syncthreads();
  if (lane == 0)
    scratch[warp] = value;
  __syncthreads();
  float result = 0;
  for (unsigned w = 0; w < warps; ++w)
    result += scratch[w];
  return result;
}

__device__ float blockMax(float value, float *scratch) {
  unsigned lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  unsigned warps = (blockDim.x + warpSize - 1) / warpSize;
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, offset));
  __syncthreads();
  if (lane == 0)
    scratch[warp] = value;
  __syncthreads();
  float result = scratch[0];
  for (unsigned w = 1; w < warps; ++w)
    result = fmaxf(result, scratch[w]);
  return result;
}
