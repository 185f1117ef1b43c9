// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = alpha * A * B' + alpha * B * A' + beta * C. One nest, 4 copies.
#include "common.h"

constexpr int kRows = SIZE, kInner = SIZE + 8;
constexpr float kAlpha = 1.5f, kBeta = 1.25f;

__global__ void syr2k(const float *a, const float *b, float *c) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kRows || j >= kRows)
    return;
  float sum = kBeta * c[i * kRows + j];
  for (int k = 0; k < kInner; ++k) {
    sum += kAlpha * a[i * kInner + k] * b[j * kInner + k];
    sum += kAlpha * b[i * kInner + k] * a[j * kInner + k];
  }
  c[i * kRows + j] = sum;
}

static float *expectedC() {
  float *a = newArray(kRows * kInner, 1), *b = newArray(kRows * kInner, 2);
  float *c = newArray(kRows * kRows, 3);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kRows; ++j) {
      float sum = kBeta * c[i * kRows + j];
      for (int k = 0; k < kInner; ++k) {
        sum += kAlpha * a[i * kInner + k] * b[j * kInner + k];
        sum += kAlpha * b[i * kInner + k] * a[j * kInner + k];
      }
      c[i * kRows + j] = sum;
    }
  free(a);
  free(b);
  return c;
}

int main() {
  constexpr size_t kBytesOfA = bytesOf(kRows * kInner);
  constexpr size_t kBytesOfC = bytesOf(kRows * kRows);
  float *a = newArray(kRows * kInner, 1), *b = newArray(kRows * kInner, 2);
  float *c = newArray(kRows * kRows, 3);
  float *deviceA, *deviceB, *deviceC;
  CHECK(cudaMalloc(&deviceA, kBytesOfA));
  CHECK(cudaMalloc(&deviceB, kBytesOfA));
  CHECK(cudaMalloc(&deviceC, kBytesOfC));

  CHECK(cudaMemcpy(deviceA, a, kBytesOfA, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceB, b, kBytesOfA, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceC, c, kBytesOfC, cudaMemcpyHostToDevice));
  syr2k<<<blocksFor(kRows, kRows), dim3(kBlockWidth, kBlockHeight)>>>(
      deviceA, deviceB, deviceC);
  CHECK(cudaMemcpy(c, deviceC, kBytesOfC, cudaMemcpyDeviceToHost));

  int wrong = report("C", c, expectedC(), kRows * kRows);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceC));
  free(a);
  free(b);
  free(c);
  return wrong;
}
