// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// B = A, convolved with weights in a cube. One nest, 3 copies. The border of B
// stays.
#include "common.h"

constexpr int kPlanes = SIZE / 2, kRows = SIZE / 2 + 8, kColumns = SIZE;
constexpr int kPlane = kRows * kColumns;

/// Returns what element (\p i, \p j, \p k) of B is: that of A and its
/// neighbours on the diagonals of the cube and along its axes, weighted.
__host__ __device__ static float convolve(const float *a, int i, int j, int k) {
  const float *here = a + i * kPlane + j * kColumns + k;
  const float *before = here - kPlane, *behind = here + kPlane;
  return 0.6f * here[0] + 0.1f * here[-1] - 0.2f * here[1] -
         0.3f * here[-kColumns] + 0.4f * here[kColumns] + 0.5f * before[0] -
         0.7f * behind[0] + 0.2f * before[-kColumns - 1] +
         0.3f * before[kColumns + 1] - 0.4f * behind[-kColumns - 1] +
         0.8f * behind[kColumns + 1];
}

__global__ void convolution(const float *a, float *b) {
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < 1 || j >= kRows - 1 || k < 1 || k >= kColumns - 1)
    return;
  for (int i = 1; i < kPlanes - 1; ++i)
    b[i * kPlane + j * kColumns + k] = convolve(a, i, j, k);
}

static float *expectedB() {
  float *a = newArray(kPlanes * kPlane, 1), *b = newArray(kPlanes * kPlane, 2);
  for (int i = 1; i < kPlanes - 1; ++i)
    for (int j = 1; j < kRows - 1; ++j)
      for (int k = 1; k < kColumns - 1; ++k)
        b[i * kPlane + j * kColumns + k] = convolve(a, i, j, k);
  free(a);
  return b;
}

int main() {
  constexpr int kCount = kPlanes * kPlane;
  float *a = newArray(kCount, 1), *b = newArray(kCount, 2);
  float *deviceA, *deviceB;
  CHECK(cudaMalloc(&deviceA, bytesOf(kCount)));
  CHECK(cudaMalloc(&deviceB, bytesOf(kCount)));

  CHECK(cudaMemcpy(deviceA, a, bytesOf(kCount), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceB, b, bytesOf(kCount), cudaMemcpyHostToDevice));
  convolution<<<blocksFor(kRows, kColumns), dim3(kBlockWidth, kBlockHeight)>>>(
      deviceA, deviceB);
  CHECK(cudaMemcpy(b, deviceB, bytesOf(kCount), cudaMemcpyDeviceToHost));

  int wrong = report("B", b, expectedB(), kCount);
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceB));
  free(a);
  free(b);
  return wrong;
}
