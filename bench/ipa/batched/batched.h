// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// A batch of square matrices, column-major, one after the other.
struct MatrixBatch {
  float *data;
  int size;
  int leadingDimension;
  int stride;
  int count;
};

/// LU factorisation without pivoting, in place; one matrix per thread.
void factorise(const MatrixBatch &batch);
/// Solves with the factors; \p right holds one vector per matrix.
void solve(const MatrixBatch &batch, float *right);

#ifdef __CUDACC__
__global__ void luKernel(float *data, int n, int ld, int stride, int count);
__global__ void solveKernel(const float *data, int n, int ld, int stride,
                            float *right, int count);
#endif
