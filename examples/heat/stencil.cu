//===- stencil.cu - One step of diffusion, geometry computed --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device.h"

__global__ void diffuseKernel(Grid from, Grid to) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= from.width || y >= from.height)
    return;
  int at = y * from.pitch + x;
  int cell = from.cells[at];
  int conductivity = conductivityOf(x, y);
  int change = 0;
  bool atBorder =
      x == 0 || y == 0 || x == from.width - 1 || y == from.height - 1;
  if (x > 0)
    change += flow(from.cells[at - 1], cell, conductivity);
  if (x < from.width - 1)
    change += flow(from.cells[at + 1], cell, conductivity);
  if (y > 0)
    change += flow(from.cells[at - from.pitch], cell, conductivity);
  if (y < from.height - 1)
    change += flow(from.cells[at + from.pitch], cell, conductivity);
  if (atBorder)
    change -= borderLossOf(cell);
  if (change != 0)
    atomicAdd(&movedHeat,
              static_cast<unsigned long long>(change < 0 ? -change : change));
  to.cells[at] = cell + change;
}

void diffuse(const Grid &from, const Grid &to, int blockHeight) {
  dim3 block(16, blockHeight);
  dim3 grid((from.width + block.x - 1) / block.x,
            (from.height + block.y - 1) / block.y);
  diffuseKernel<<<grid, block>>>(from, to);
  checkCuda(cudaGetLastError(), "diffuseKernel");
}
