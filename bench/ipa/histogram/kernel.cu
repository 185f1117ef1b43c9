// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A histogram per block in shared memory, added up at the end.
#include "histogram.h"

__global__ void countBins(const float *values, int count, float low, float high,
                          int bins, unsigned *counts) {
  extern __shared__ unsigned local[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    local[b] = 0;
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    float value = values[i];
    if (value < low || value >= high)
      continue;
    int bin = static_cast<int>((value - low) / (high - low) * bins);
    atomicAdd(&local[bin < bins ? bin : bins - 1], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (local[b])
      atomicAdd(&counts[b], local[b]);
}
