// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// A sparse matrix in compressed rows, in device memory.
struct CsrMatrix {
  int rows;
  const int *rowStarts;
  const int *columns;
  const float *values;
};

/// y = alpha * A * x + beta * y
void multiply(const CsrMatrix &a, const float *x, float alpha, float beta,
              float *y);

#ifdef __CUDACC__
/// \p lanes threads (a power of two up to 32) share a row.
__global__ void multiplyRows(CsrMatrix a, const float *x, float alpha,
                             float beta, float *y, int lanes);
#endif
