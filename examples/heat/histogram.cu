//===- histogram.cu - Counts cells by temperature, in shared memory -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device.h"

static __device__ int binOf(int cell) {
  int bin = cell / kBinWidth;
  return bin < 0 ? 0 : bin >= kBins ? kBins - 1 : bin;
}

static __global__ void histogramKernel(Grid grid) {
  __shared__ unsigned local[kBins];
  if (threadIdx.x < kBins)
    local[threadIdx.x] = 0;
  __syncthreads();
  for (int y = blockIdx.x; y < grid.height; y += gridDim.x)
    for (int x = threadIdx.x; x < grid.width; x += blockDim.x)
      atomicAdd(&local[binOf(grid.cells[y * grid.pitch + x])], 1U);
  __syncthreads();
  if (threadIdx.x < kBins)
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

void fillHistogram(const Grid &grid) {
  histogramKernel<<<8, 32>>>(grid);
  checkCuda(cudaGetLastError(), "histogramKernel");
}
