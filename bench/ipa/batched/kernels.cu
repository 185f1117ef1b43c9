// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "batched.h"

__global__ void luKernel(float *data, int n, int ld, int stride, int count) {
  int matrix = blockIdx.x * blockDim.x + threadIdx.x;
  if (matrix >= count)
    return;
  float *a = data + matrix * stride;
  for (int k = 0; k < n; ++k) {
    float inverse = 1.0f / a[k + k * ld];
    for (int i = k + 1; i < n; ++i)
      a[i + k * ld] *= inverse;
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < n; ++i)
        a[i + j * ld] -= a[i + k * ld] * a[k + j * ld];
  }
}

__global__ void solveKernel(const float *data, int n, int ld, int stride,
                            float *right, int count) {
  int matrix = blockIdx.x * blockDim.x + threadIdx.x;
  if (matrix >= count)
    return;
  const float *a = data + matrix * stride;
  float *x = right + matrix * n;
  for (int i = 0; i < n; ++i) {
    float sum = x[i];
    for (int j = 0; j < i; ++j)
      sum -= a[i + j * ld] * x[j];
    x[i] = sum;
  }
  for (int i = n - 1; i >= 0; --i) {
    float sum = x[i];
    for (int j = i + 1; j < n; ++j)
      sum -= a[i + j * ld] * x[j];
    x[i] = sum / a[i + i * ld];
  }
}
