//===- sources.cu - Heat sources: geometry and some arguments constant ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device.h"
#include "grid/grid.h"

// Each thread heats one cell, chosen by a hash. Cells may coincide: atomics.
__global__ void injectKernel(Grid grid, int step, int strength) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hash = cellHash(thread, step);
  unsigned x = hash % grid.width;
  unsigned y = (hash >> 12) % grid.height;
  atomicAdd(&grid.cells[y * grid.pitch + x], strength);
}

// Never launched: a whole-program optimizer drops it from the device code.
__global__ void dumpKernel(Grid grid, int *to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < grid.width)
    to[x] = grid.cells[x] + conductivityOf(x, 0);
}

void injectHeat(const Grid &grid, int step) {
  injectKernel<<<kInjectBlocks, kInjectThreads>>>(grid, step, 4096);
  checkCuda(cudaGetLastError(), "injectKernel");
}
