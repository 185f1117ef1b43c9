// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = alpha * A * B + beta * C. One nest, 4 copies.
#include "common.h"

constexpr int kRows = SIZE, kColumns = SIZE + 16, kInner = SIZE - 8;
constexpr float kAlpha = 1.5f, kBeta = 1.25f;

__global__ void gemm(const float *a, const float *b, float *c) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kRows || j >= kColumns)
    return;
  c[i * kColumns + j] *= kBeta;
  for (int k = 0; k < kInner; ++k)
    c[i * kColumns + j] += kAlpha * a[i * kInner + k] * b[k * kColumns + j];
}

static float *expectedC() {
  float *a = newArray(kRows * kInner, 1), *b = newArray(kInner * kColumns, 2);
  float *c = newArray(kRows * kColumns, 3);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) {
      float sum = kBeta * c[i * kColumns + j];
      for (int k = 0; k < kInner; ++k)
        sum += kAlpha * a[i * kInner + k] * b[k * kColumns + j];
      c[i * kColumns + j] = sum;
    }
  free(a);
  free(b);
  return c;
}

int main() {
  constexpr size_t kBytesOfA = bytesOf(kRows * kInner);
  constexpr size_t kBytesOfB = bytesOf(kInner * kColumns);
  constexpr size_t kBytesOfC = bytesOf(kRows * kColumns);
  float *a = newArray(kRows * kInner, 1), *b = newArray(kInner * kColumns, 2);
  float *c = newArray(kRows * kColumns, 3);
  float *deviceA, *deviceB, *deviceC;
  CHECK(cudaMalloc(&deviceA, kBytesOfA));
  CHECK(cudaMalloc(&deviceB, kBytesOfB));
  CHECK(cudaMalloc(&deviceC, kBytesOfC));

  CHECK(cudaMemcpy(deviceA, a, kBytesOfA, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceB, b, kBytesOfB, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceC, c, kBytesOfC, cudaMemcpyHostToDevice));
  gemm<<<blocksFor(kRows, kColumns), dim3(kBlockWidth, kBlockHeight)>>>(
      deviceA, deviceB, deviceC);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c, deviceC, kBytesOfC, cudaMemcpyDeviceToHost));

  int wrong = report("C", c, expectedC(), kRows * kColumns);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceC));
  free(a);
  free(b);
  free(c);
  return wrong;
}
