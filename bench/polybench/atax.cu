// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A' * (A * x). Three nests, 10 copies.
#include "common.h"

constexpr int kRows = 2 * SIZE + 16, kColumns = 2 * SIZE;

__global__ void clear(float *y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < kColumns)
    y[j] = 0;
}

__global__ void multiply(const float *a, const float *x, float *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kRows)
    return;
  float sum = 0;
  for (int j = 0; j < kColumns; ++j)
    sum += a[i * kColumns + j] * x[j];
  tmp[i] = sum;
}

__global__ void multiplyTransposed(const float *a, const float *tmp, float *y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < kColumns)
    for (int i = 0; i < kRows; ++i)
      y[j] += a[i * kColumns + j] * tmp[i];
}

static float *expectedY() {
  float *a = newArray(kRows * kColumns, 1), *x = newArray(kColumns, 2);
  float *y = newArray(kColumns, 3);
  for (int j = 0; j < kColumns; ++j)
    y[j] = 0;
  for (int i = 0; i < kRows; ++i) {
    float sum = 0;
    for (int j = 0; j < kColumns; ++j)
      sum += a[i * kColumns + j] * x[j];
    for (int j = 0; j < kColumns; ++j)
      y[j] += a[i * kColumns + j] * sum;
  }
  free(a);
  free(x);
  return y;
}

int main() {
  constexpr size_t kMatrix = bytesOf(kRows * kColumns);
  constexpr size_t kRow = bytesOf(kColumns), kColumn = bytesOf(kRows);
  float *a = newArray(kRows * kColumns, 1), *x = newArray(kColumns, 2);
  float *y = newArray(kColumns, 3), *tmp = newArray(kRows, 4);
  float *deviceA, *deviceX, *deviceY, *deviceTmp;
  cudaMalloc(&deviceA, kMatrix);
  cudaMalloc(&deviceX, kRow);
  cudaMalloc(&deviceY, kRow);
  cudaMalloc(&deviceTmp, kColumn);

  cudaMemcpy(deviceY, y, kRow, cudaMemcpyHostToDevice);
  clear<<<blocksFor(kColumns), kThreads>>>(deviceY);
  cudaMemcpy(y, deviceY, kRow, cudaMemcpyDeviceToHost);

  cudaMemcpy(deviceA, a, kMatrix, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceX, x, kRow, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceTmp, tmp, kColumn, cudaMemcpyHostToDevice);
  multiply<<<blocksFor(kRows), kThreads>>>(deviceA, deviceX, deviceTmp);
  cudaMemcpy(tmp, deviceTmp, kColumn, cudaMemcpyDeviceToHost);

  cudaMemcpy(deviceA, a, kMatrix, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceTmp, tmp, kColumn, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceY, y, kRow, cudaMemcpyHostToDevice);
  multiplyTransposed<<<blocksFor(kColumns), kThreads>>>(deviceA, deviceTmp,
                                                        deviceY);
  cudaMemcpy(y, deviceY, kRow, cudaMemcpyDeviceToHost);

  int wrong = report("y", y, expectedY(), kColumns);
  cudaFree(deviceA);
  cudaFree(deviceX);
  cudaFree(deviceY);
  cudaFree(deviceTmp);
  free(a);
  free(x);
  free(y);
  free(tmp);
  return wrong;
}
