// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// G = (A * B) * (C * D), by way of E = A * B and F = C * D. Three nests, 12
// copies. The host never reads E and F.
#include "common.h"

constexpr int kI = SIZE, kJ = SIZE + 8, kK = SIZE - 8, kL = SIZE + 16;
constexpr int kM = SIZE - 16;

/// to = left * right, where to has \p rows and \p columns.
__global__ void multiply(const float *left, const float *right, float *to,
                         int rows, int columns, int inner) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows || j >= columns)
    return;
  float sum = 0;
  for (int k = 0; k < inner; ++k)
    sum += left[i * inner + k] * right[k * columns + j];
  to[i * columns + j] = sum;
}

static float *product(float *left, float *right, int rows, int columns,
                      int inner) {
  float *to = newArray(rows * columns, 0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
      for (int k = 0; k < inner; ++k)
        sum += left[i * inner + k] * right[k * columns + j];
      to[i * columns + j] = sum;
    }
  free(left);
  free(right);
  return to;
}

static float *expectedG() {
  float *e = product(newArray(kI * kK, 1), newArray(kK * kJ, 2), kI, kJ, kK);
  float *f = product(newArray(kJ * kM, 3), newArray(kM * kL, 4), kJ, kL, kM);
  return product(e, f, kI, kL, kJ);
}

int main() {
  constexpr size_t kBytesOfA = bytesOf(kI * kK), kBytesOfB = bytesOf(kK * kJ);
  constexpr size_t kBytesOfC = bytesOf(kJ * kM), kBytesOfD = bytesOf(kM * kL);
  constexpr size_t kBytesOfE = bytesOf(kI * kJ), kBytesOfF = bytesOf(kJ * kL);
  constexpr size_t kBytesOfG = bytesOf(kI * kL);
  const dim3 block(kBlockWidth, kBlockHeight);
  float *a = newArray(kI * kK, 1), *b = newArray(kK * kJ, 2);
  float *c = newArray(kJ * kM, 3), *d = newArray(kM * kL, 4);
  float *e = newArray(kI * kJ, 5), *f = newArray(kJ * kL, 6);
  float *g = newArray(kI * kL, 7);
  float *deviceA, *deviceB, *deviceC, *deviceD, *deviceE, *deviceF, *deviceG;
  CHECK(cudaMalloc(&deviceA, kBytesOfA));
  CHECK(cudaMalloc(&deviceB, kBytesOfB));
  CHECK(cudaMalloc(&deviceC, kBytesOfC));
  CHECK(cudaMalloc(&deviceD, kBytesOfD));
  CHECK(cudaMalloc(&deviceE, kBytesOfE));
  CHECK(cudaMalloc(&deviceF, kBytesOfF));
  CHECK(cudaMalloc(&deviceG, kBytesOfG));

  CHECK(cudaMemcpy(deviceA, a, kBytesOfA, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceB, b, kBytesOfB, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceE, e, kBytesOfE, cudaMemcpyHostToDevice));
  multiply<<<blocksFor(kI, kJ), block>>>(deviceA, deviceB, deviceE, kI, kJ, kK);
  CHECK(cudaMemcpy(e, deviceE, kBytesOfE, cudaMemcpyDeviceToHost));

  CHECK(cudaMemcpy(deviceC, c, kBytesOfC, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceD, d, kBytesOfD, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceF, f, kBytesOfF, cudaMemcpyHostToDevice));
  multiply<<<blocksFor(kJ, kL), block>>>(deviceC, deviceD, deviceF, kJ, kL, kM);
  CHECK(cudaMemcpy(f, deviceF, kBytesOfF, cudaMemcpyDeviceToHost));

  CHECK(cudaMemcpy(deviceE, e, kBytesOfE, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceF, f, kBytesOfF, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceG, g, kBytesOfG, cudaMemcpyHostToDevice));
  multiply<<<blocksFor(kI, kL), block>>>(deviceE, deviceF, deviceG, kI, kL, kJ);
  CHECK(cudaMemcpy(g, deviceG, kBytesOfG, cudaMemcpyDeviceToHost));

  int wrong = report("G", g, expectedG(), kI * kL);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  CHECK(cudaFree(deviceC));
  CHECK(cudaFree(deviceD));
  CHECK(cudaFree(deviceE));
  CHECK(cudaFree(deviceF));
  CHECK(cudaFree(deviceG));
  free(a);
  free(b);
  free(c);
  free(d);
  free(e);
  free(f);
  free(g);
  return wrong;
}
