// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

__global__ void multiply(float *out, Matrix matrix, const float *x) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= matrix.rows)
    return;
  float sum = 0;
  for (int c = 0; c < matrix.columns; ++c)
    sum += matrix.data[row * matrix.columns + c] * x[c];
  out[row] = sum;
}

__global__ void shrink(float *out, const float *in, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float sum = 0;
  for (int k = 0; k < 8; ++k)
    sum += in[8 * i + k];
  out[i] = sum * 0.125f;
}

__global__ void gather(float *out, const float *in, size_t count,
                       size_t columns, size_t stride) {
  size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    size_t row = i / columns, column = columns - 1 - i % columns;
    out[i] = in[row * stride + column];
  }
}
