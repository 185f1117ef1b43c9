// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = alpha * A * x + beta * B * x. One nest, 7 copies.
#include "common.h"

constexpr int kSize = 2 * SIZE;
constexpr float kAlpha = 1.5f, kBeta = 1.25f;

__global__ void gesummv(const float *a, const float *b, const float *x,
                        float *y, float *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kSize)
    return;
  tmp[i] = 0;
  y[i] = 0;
  for (int j = 0; j < kSize; ++j) {
    tmp[i] += a[i * kSize + j] * x[j];
    y[i] += b[i * kSize + j] * x[j];
  }
  y[i] = kAlpha * tmp[i] + kBeta * y[i];
}

static float *expectedY() {
  float *a = newArray(kSize * kSize, 1), *b = newArray(kSize * kSize, 2);
  float *x = newArray(kSize, 3), *y = newArray(kSize, 4);
  for (int i = 0; i < kSize; ++i) {
    float ofA = 0, ofB = 0;
    for (int j = 0; j < kSize; ++j) {
      ofA += a[i * kSize + j] * x[j];
      ofB += b[i * kSize + j] * x[j];
    }
    y[i] = kAlpha * ofA + kBeta * ofB;
  }
  free(a);
  free(b);
  free(x);
  return y;
}

int main() {
  constexpr size_t kMatrix = bytesOf(kSize * kSize), kVector = bytesOf(kSize);
  float *a = newArray(kSize * kSize, 1), *b = newArray(kSize * kSize, 2);
  float *x = newArray(kSize, 3), *y = newArray(kSize, 4);
  float *tmp = newArray(kSize, 5);
  float *deviceA, *deviceB, *deviceX, *deviceY, *deviceTmp;
  cudaMalloc(&deviceA, kMatrix);
  cudaMalloc(&deviceB, kMatrix);
  cudaMalloc(&deviceX, kVector);
  cudaMalloc(&deviceY, kVector);
  cudaMalloc(&deviceTmp, kVector);

  cudaMemcpy(deviceA, a, kMatrix, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceB, b, kMatrix, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceX, x, kVector, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceY, y, kVector, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceTmp, tmp, kVector, cudaMemcpyHostToDevice);
  gesummv<<<blocksFor(kSize), kThreads>>>(deviceA, deviceB, deviceX, deviceY,
                                          deviceTmp);
  cudaMemcpy(y, deviceY, kVector, cudaMemcpyDeviceToHost);
  cudaMemcpy(tmp, deviceTmp, kVector, cudaMemcpyDeviceToHost);

  int wrong = report("y", y, expectedY(), kSize);
  cudaFree(deviceA);
  cudaFree(deviceB);
  cudaFree(deviceX);
  cudaFree(deviceY);
  cudaFree(deviceTmp);
  free(a);
  free(b);
  free(x);
  free(y);
  free(tmp);
  return wrong;
}
