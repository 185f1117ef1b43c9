// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// B = A, convolved with nine weights. One nest, 3 copies. The border of B
// stays.
#include "common.h"

constexpr int kRows = 2 * SIZE, kColumns = 2 * SIZE + 16;

/// Returns what element (\p i, \p j) of B is.
__host__ __device__ static float convolve(const float *a, int i, int j) {
  const float *row = a + i * kColumns + j;
  const float *above = row - kColumns, *below = row + kColumns;
  return 0.2f * above[-1] - 0.3f * above[0] + 0.4f * above[1] + 0.5f * row[-1] +
         0.6f * row[0] + 0.7f * row[1] - 0.8f * below[-1] - 0.9f * below[0] +
         0.1f * below[1];
}

__global__ void convolution(const float *a, float *b) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < kRows - 1 && j > 0 && j < kColumns - 1)
    b[i * kColumns + j] = convolve(a, i, j);
}

static float *expectedB() {
  float *a = newArray(kRows * kColumns, 1), *b = newArray(kRows * kColumns, 2);
  for (int i = 1; i < kRows - 1; ++i)
    for (int j = 1; j < kColumns - 1; ++j)
      b[i * kColumns + j] = convolve(a, i, j);
  free(a);
  return b;
}

int main() {
  constexpr int kCount = kRows * kColumns;
  float *a = newArray(kCount, 1), *b = newArray(kCount, 2);
  float *deviceA, *deviceB;
  cudaMalloc(&deviceA, bytesOf(kCount));
  cudaMalloc(&deviceB, bytesOf(kCount));

  cudaMemcpy(deviceA, a, bytesOf(kCount), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceB, b, bytesOf(kCount), cudaMemcpyHostToDevice);
  convolution<<<blocksFor(kRows, kColumns), dim3(kBlockWidth, kBlockHeight)>>>(
      deviceA, deviceB);
  cudaMemcpy(b, deviceB, bytesOf(kCount), cudaMemcpyDeviceToHost);

  int wrong = report("B", b, expectedB(), kCount);
  cudaFree(deviceA);
  cudaFree(deviceB);
  free(a);
  free(b);
  return wrong;
}
