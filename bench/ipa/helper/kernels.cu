// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dot.h"

__global__ void rowNorms(const float *matrix, int rows, int columns,
                         float *norms) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  const float *values = matrix + row;
  norms[row] = sqrtf(dot(values, rows, values, rows, columns));
}

__global__ void project(const float *matrix, int rows, int columns,
                        const float *direction, float *result) {
  __shared__ float cached[kMaxColumns];
  __shared__ float length;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    cached[i] = direction[i];
  __syncthreads();
  if (threadIdx.x == 0)
    length = sqrtf(dot(cached, 1, cached, 1, columns));
  __syncthreads();
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    result[row] = dot(matrix + row, rows, cached, 1, columns) / length;
}
