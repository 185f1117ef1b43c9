// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>

/// A dense matrix somewhere in device memory, row after row.
struct Matrix {
  const float *data;
  int rows, columns;
};

/// out[r] = sum over c of matrix[r, c] * x[c].
__global__ void multiply(float *out, Matrix matrix, const float *x);
/// out[i] = mean of 8 neighbors from in[8 * i] on.
__global__ void shrink(float *out, const float *in, int count);
/// out[i] = in[row of i, turned column of i].
__global__ void gather(float *out, const float *in, size_t count,
                       size_t columns, size_t stride);
