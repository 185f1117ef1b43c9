// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heat equation on a regular grid.
#include "stencil.h"

static __device__ int indexOf(int x, int y, int z, int nx, int ny) {
  return (z * ny + y) * nx + x;
}

__global__ void jacobi(float *out, const float *in, int nx, int ny, int nz,
                       float alpha) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
    return;
  float below = in[indexOf(x, y, 0, nx, ny)];
  float here = in[indexOf(x, y, 1, nx, ny)];
  for (int z = 1; z < nz - 1; ++z) {
    float above = in[indexOf(x, y, z + 1, nx, ny)];
    float sum = below + above + in[indexOf(x - 1, y, z, nx, ny)] +
                in[indexOf(x + 1, y, z, nx, ny)] +
                in[indexOf(x, y - 1, z, nx, ny)] +
                in[indexOf(x, y + 1, z, nx, ny)];
    out[indexOf(x, y, z, nx, ny)] = here + alpha * (sum - 6.0f * here);
    below = here;
    here = above;
  }
}

__global__ void fixBoundary(float *grid, int nx, int ny, int nz, float value) {
  int count = nx * ny * nz;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 ||
        z == nz - 1)
      grid[i] = value;
  }
}
