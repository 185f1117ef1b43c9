// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// s = A' * r, q = A * p. Three nests, 10 copies.
#include "common.h"

constexpr int kRows = 2 * SIZE, kColumns = 2 * SIZE + 16;

__global__ void clear(float *s) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < kColumns)
    s[j] = 0;
}

__global__ void multiplyTransposed(const float *a, const float *r, float *s) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < kColumns)
    for (int i = 0; i < kRows; ++i)
      s[j] += a[i * kColumns + j] * r[i];
}

__global__ void multiply(const float *a, const float *p, float *q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kRows)
    return;
  q[i] = 0;
  for (int j = 0; j < kColumns; ++j)
    q[i] += a[i * kColumns + j] * p[j];
}

static float *expectedS() {
  float *a = newArray(kRows * kColumns, 1), *r = newArray(kRows, 2);
  float *s = newArray(kColumns, 4);
  for (int j = 0; j < kColumns; ++j) {
    s[j] = 0;
    for (int i = 0; i < kRows; ++i)
      s[j] += a[i * kColumns + j] * r[i];
  }
  free(a);
  free(r);
  return s;
}

static float *expectedQ() {
  float *a = newArray(kRows * kColumns, 1), *p = newArray(kColumns, 3);
  float *q = newArray(kRows, 5);
  for (int i = 0; i < kRows; ++i) {
    q[i] = 0;
    for (int j = 0; j < kColumns; ++j)
      q[i] += a[i * kColumns + j] * p[j];
  }
  free(a);
  free(p);
  return q;
}

int main() {
  constexpr size_t kMatrix = bytesOf(kRows * kColumns);
  constexpr size_t kRow = bytesOf(kColumns), kColumn = bytesOf(kRows);
  float *a = newArray(kRows * kColumns, 1), *r = newArray(kRows, 2);
  float *p = newArray(kColumns, 3), *s = newArray(kColumns, 4);
  float *q = newArray(kRows, 5);
  float *deviceA, *deviceR, *deviceP, *deviceS, *deviceQ;
  CHECK(cudaMalloc(&deviceA, kMatrix));
  CHECK(cudaMalloc(&deviceR, kColumn));
  CHECK(cudaMalloc(&deviceP, kRow));
  CHECK(cudaMalloc(&deviceS, kRow));
  CHECK(cudaMalloc(&deviceQ, kColumn));

  CHECK(cudaMemcpy(deviceS, s, kRow, cudaMemcpyHostToDevice));
  clear<<<blocksFor(kColumns), kThreads>>>(deviceS);
  CHECK(cudaMemcpy(s, deviceS, kRow, cudaMemcpyDeviceToHost));

  CHECK(cudaMemcpy(deviceA, a, kMatrix, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceR, r, kColumn, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceS, s, kRow, cudaMemcpyHostToDevice));
  multiplyTransposed<<<blocksFor(kColumns), kThreads>>>(deviceA, deviceR,
                                                        deviceS);
  CHECK(cudaMemcpy(s, deviceS, kRow, cudaMemcpyDeviceToHost));

  CHECK(cudaMemcpy(deviceA, a, kMatrix, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceP, p, kRow, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceQ, q, kColumn, cudaMemcpyHostToDevice));
  multiply<<<blocksFor(kRows), kThreads>>>(deviceA, deviceP, deviceQ);
  CHECK(cudaMemcpy(q, deviceQ, kColumn, cudaMemcpyDeviceToHost));

  int wrong = report("s", s, expectedS(), kColumns);
  wrong += report("q", q, expectedQ(), kRows);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceR));
  CHECK(cudaFree(deviceP));
  CHECK(cudaFree(deviceS));
  CHECK(cudaFree(deviceQ));
  free(a);
  free(r);
  free(p);
  free(s);
  free(q);
  return wrong;
}
