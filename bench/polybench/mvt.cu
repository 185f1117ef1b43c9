// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x1 = x1 + A * y1, x2 = x2 + A' * y2. Two nests, 8 copies.
#include "common.h"

constexpr int kSize = 2 * SIZE;

__global__ void multiply(const float *a, const float *y, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSize)
    for (int j = 0; j < kSize; ++j)
      x[i] += a[i * kSize + j] * y[j];
}

__global__ void multiplyTransposed(const float *a, const float *y, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kSize)
    for (int j = 0; j < kSize; ++j)
      x[i] += a[j * kSize + i] * y[j];
}

/// Returns \p x + B * \p y, where B is A with such a step from a row to the
/// next, and from a column to the next.
static float *expectedX(float *x, float *y, int rowStep, int columnStep) {
  float *a = newArray(kSize * kSize, 1);
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j)
      x[i] += a[i * rowStep + j * columnStep] * y[j];
  free(a);
  free(y);
  return x;
}

int main() {
  constexpr size_t kMatrix = bytesOf(kSize * kSize), kVector = bytesOf(kSize);
  float *a = newArray(kSize * kSize, 1);
  float *x1 = newArray(kSize, 2), *x2 = newArray(kSize, 3);
  float *y1 = newArray(kSize, 4), *y2 = newArray(kSize, 5);
  float *deviceA, *deviceX1, *deviceX2, *deviceY1, *deviceY2;
  CHECK(cudaMalloc(&deviceA, kMatrix));
  CHECK(cudaMalloc(&deviceX1, kVector));
  CHECK(cudaMalloc(&deviceX2, kVector));
  CHECK(cudaMalloc(&deviceY1, kVector));
  CHECK(cudaMalloc(&deviceY2, kVector));

  CHECK(cudaMemcpy(deviceA, a, kMatrix, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceX1, x1, kVector, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceY1, y1, kVector, cudaMemcpyHostToDevice));
  multiply<<<blocksFor(kSize), kThreads>>>(deviceA, deviceY1, deviceX1);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x1, deviceX1, kVector, cudaMemcpyDeviceToHost));

  CHECK(cudaMemcpy(deviceA, a, kMatrix, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceX2, x2, kVector, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceY2, y2, kVector, cudaMemcpyHostToDevice));
  multiplyTransposed<<<blocksFor(kSize), kThreads>>>(deviceA, deviceY2,
                                                     deviceX2);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(x2, deviceX2, kVector, cudaMemcpyDeviceToHost));

  int wrong = report(
      "x1", x1, expectedX(newArray(kSize, 2), newArray(kSize, 4), kSize, 1),
      kSize);
  wrong += report("x2", x2,
                  expectedX(newArray(kSize, 3), newArray(kSize, 5), 1, kSize),
                  kSize);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceX1));
  CHECK(cudaFree(deviceX2));
  CHECK(cudaFree(deviceY1));
  CHECK(cudaFree(deviceY2));
  free(a);
  free(x1);
  free(x2);
  free(y1);
  free(y2);
  return wrong;
}
