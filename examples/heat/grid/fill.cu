//===- fill.cu - Host and device code in one member of the library --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "grid/grid.h"

#include <cstdio>
#include <cstdlib>

__global__ void fillKernel(Grid grid, int temperature) {
  for (int y = blockIdx.x; y < grid.height; y += gridDim.x)
    for (int x = threadIdx.x; x < grid.width; x += blockDim.x)
      grid.cells[y * grid.pitch + x] =
          temperature + static_cast<int>(cellHash(x, y) & 15);
}

void fillGrid(const Grid &grid, int temperature) {
  fillKernel<<<16, 64>>>(grid, temperature);
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "heat: fillKernel: %s\n", cudaGetErrorString(error));
  std::exit(2);
}
