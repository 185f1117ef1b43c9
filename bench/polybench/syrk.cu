// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = alpha * A * A' + beta * C. Two nests, 5 copies.
#include "common.h"

constexpr int kRows = SIZE, kInner = SIZE + 8;
constexpr float kAlpha = 1.5f, kBeta = 1.25f;

__global__ void scale(float *c) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kRows && j < kRows)
    c[i * kRows + j] *= kBeta;
}

__global__ void addProduct(const float *a, float *c) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kRows && j < kRows)
    for (int k = 0; k < kInner; ++k)
      c[i * kRows + j] += kAlpha * a[i * kInner + k] * a[j * kInner + k];
}

static float *expectedC() {
  float *a = newArray(kRows * kInner, 1), *c = newArray(kRows * kRows, 2);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kRows; ++j) {
      float sum = kBeta * c[i * kRows + j];
      for (int k = 0; k < kInner; ++k)
        sum += kAlpha * a[i * kInner + k] * a[j * kInner + k];
      c[i * kRows + j] = sum;
    }
  free(a);
  return c;
}

int main() {
  constexpr size_t kBytesOfA = bytesOf(kRows * kInner);
  constexpr size_t kBytesOfC = bytesOf(kRows * kRows);
  const dim3 grid = blocksFor(kRows, kRows), block(kBlockWidth, kBlockHeight);
  float *a = newArray(kRows * kInner, 1), *c = newArray(kRows * kRows, 2);
  float *deviceA, *deviceC;
  cudaMalloc(&deviceA, kBytesOfA);
  cudaMalloc(&deviceC, kBytesOfC);

  cudaMemcpy(deviceC, c, kBytesOfC, cudaMemcpyHostToDevice);
  scale<<<grid, block>>>(deviceC);
  cudaMemcpy(c, deviceC, kBytesOfC, cudaMemcpyDeviceToHost);

  cudaMemcpy(deviceA, a, kBytesOfA, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceC, c, kBytesOfC, cudaMemcpyHostToDevice);
  addProduct<<<grid, block>>>(deviceA, deviceC);
  cudaMemcpy(c, deviceC, kBytesOfC, cudaMemcpyDeviceToHost);

  int wrong = report("C", c, expectedC(), kRows * kRows);
  cudaFree(deviceA);
  cudaFree(deviceC);
  free(a);
  free(c);
  return wrong;
}
