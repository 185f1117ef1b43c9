// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// One Jacobi step of the heat equation on an nx * ny * nz grid.
void jacobiStep(float *out, const float *in, int nx, int ny, int nz,
                float alpha);

#ifdef __CUDACC__
__global__ void jacobi(float *out, const float *in, int nx, int ny, int nz,
                       float alpha);
__global__ void fixBoundary(float *grid, int nx, int ny, int nz, float value);
#endif
