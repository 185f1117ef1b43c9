// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A = Q * R, where Q is orthonormal and R is triangular, by the method of Gram
// and Schmidt. All columns are one nest, 6 copies. The host reads also what is
// left in A, and what was below the diagonal of R.
#include "common.h"

constexpr int kRows = SIZE, kColumns = SIZE / 2;

__global__ void findNorm(const float *a, float *r, int k) {
  float sum = 0;
  for (int i = 0; i < kRows; ++i)
    sum += a[i * kColumns + k] * a[i * kColumns + k];
  r[k * kColumns + k] = sqrtf(sum);
}

__global__ void normalize(const float *a, const float *r, float *q, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kRows)
    q[i * kColumns + k] = a[i * kColumns + k] / r[k * kColumns + k];
}

/// Takes the part along column \p k of Q out of the columns behind it.
__global__ void project(float *a, float *r, const float *q, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j <= k || j >= kColumns)
    return;
  float sum = 0;
  for (int i = 0; i < kRows; ++i)
    sum += q[i * kColumns + k] * a[i * kColumns + j];
  r[k * kColumns + j] = sum;
  for (int i = 0; i < kRows; ++i)
    a[i * kColumns + j] -= q[i * kColumns + k] * sum;
}

/// A, R and Q after it, in the place of those before.
static void decompose(float *a, float *r, float *q) {
  for (int k = 0; k < kColumns; ++k) {
    float sum = 0;
    for (int i = 0; i < kRows; ++i)
      sum += a[i * kColumns + k] * a[i * kColumns + k];
    r[k * kColumns + k] = sqrtf(sum);
    for (int i = 0; i < kRows; ++i)
      q[i * kColumns + k] = a[i * kColumns + k] / r[k * kColumns + k];
    for (int j = k + 1; j < kColumns; ++j) {
      float part = 0;
      for (int i = 0; i < kRows; ++i)
        part += q[i * kColumns + k] * a[i * kColumns + j];
      r[k * kColumns + j] = part;
      for (int i = 0; i < kRows; ++i)
        a[i * kColumns + j] -= q[i * kColumns + k] * part;
    }
  }
}

int main() {
  constexpr int kCount = kRows * kColumns, kCountOfR = kColumns * kColumns;
  float *a = newArray(kCount, 1), *r = newArray(kCountOfR, 2);
  float *q = newArray(kCount, 3);
  float *deviceA, *deviceR, *deviceQ;
  CHECK(cudaMalloc(&deviceA, bytesOf(kCount)));
  CHECK(cudaMalloc(&deviceR, bytesOf(kCountOfR)));
  CHECK(cudaMalloc(&deviceQ, bytesOf(kCount)));

  CHECK(cudaMemcpy(deviceA, a, bytesOf(kCount), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceR, r, bytesOf(kCountOfR), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceQ, q, bytesOf(kCount), cudaMemcpyHostToDevice));
  for (int k = 0; k < kColumns; ++k) {
    findNorm<<<1, 1>>>(deviceA, deviceR, k);
    normalize<<<blocksFor(kRows), kThreads>>>(deviceA, deviceR, deviceQ, k);
    project<<<blocksFor(kColumns), kThreads>>>(deviceA, deviceR, deviceQ, k);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(a, deviceA, bytesOf(kCount), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(r, deviceR, bytesOf(kCountOfR), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(q, deviceQ, bytesOf(kCount), cudaMemcpyDeviceToHost));

  float *expectedA = newArray(kCount, 1), *expectedR = newArray(kCountOfR, 2);
  float *expectedQ = newArray(kCount, 3);
  decompose(expectedA, expectedR, expectedQ);
  int wrong = report("A", a, expectedA, kCount);
  wrong += report("R", r, expectedR, kCountOfR);
  wrong += report("Q", q, expectedQ, kCount);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceR));
  CHECK(cudaFree(deviceQ));
  free(a);
  free(r);
  free(q);
  return wrong;
}
