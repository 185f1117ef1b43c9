// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stencil.h"
#include "../common.h"

void jacobiStep(float *out, const float *in, int nx, int ny, int nz,
                float alpha) {
  dim3 block(32, 4);
  dim3 grid(divideUp(nx, block.x), divideUp(ny, block.y));
  jacobi<<<grid, block>>>(out, in, nx, ny, nz, alpha);
  CHECK(cudaGetLastError());
  fixBoundary<<<64, 256>>>(out, nx, ny, nz, 0.5f);
  CHECK(cudaGetLastError());
}
