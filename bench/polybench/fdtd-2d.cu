// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Electric and magnetic fields in two dimensions, by finite differences. All
// steps in time are one nest, 7 copies.
#include "common.h"

constexpr int kRows = SIZE + 16, kColumns = SIZE, kSteps = 8;

/// The electric field along y: of the first row, the source's at step \p t.
__global__ void stepEy(const float *source, const float *hz, float *ey, int t) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kRows || j >= kColumns)
    return;
  int at = i * kColumns + j;
  ey[at] = i ? ey[at] - 0.5f * (hz[at] - hz[at - kColumns]) : source[t];
}

__global__ void stepEx(const float *hz, float *ex) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i * kColumns + j;
  if (i < kRows && j > 0 && j < kColumns)
    ex[at] -= 0.5f * (hz[at] - hz[at - 1]);
}

__global__ void stepHz(const float *ex, const float *ey, float *hz) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int at = i * kColumns + j;
  if (i < kRows - 1 && j < kColumns - 1)
    hz[at] -= 0.7f * (ex[at + 1] - ex[at] + ey[at + kColumns] - ey[at]);
}

/// The fields after all steps, in the place of those before.
static void simulate(float *ex, float *ey, float *hz) {
  float *source = newArray(kSteps, 1);
  for (int t = 0; t < kSteps; ++t) {
    for (int at = 0; at < kRows * kColumns; ++at)
      if (at < kColumns)
        ey[at] = source[t];
      else
        ey[at] -= 0.5f * (hz[at] - hz[at - kColumns]);
    for (int i = 0; i < kRows; ++i)
      for (int at = i * kColumns + 1; at < (i + 1) * kColumns; ++at)
        ex[at] -= 0.5f * (hz[at] - hz[at - 1]);
    for (int i = 0; i < kRows - 1; ++i)
      for (int at = i * kColumns; at < (i + 1) * kColumns - 1; ++at)
        hz[at] -= 0.7f * (ex[at + 1] - ex[at] + ey[at + kColumns] - ey[at]);
  }
  free(source);
}

int main() {
  constexpr int kCount = kRows * kColumns;
  constexpr size_t kField = bytesOf(kCount);
  const dim3 grid = blocksFor(kRows, kColumns),
             block(kBlockWidth, kBlockHeight);
  float *source = newArray(kSteps, 1), *ex = newArray(kCount, 2);
  float *ey = newArray(kCount, 3), *hz = newArray(kCount, 4);
  float *deviceSource, *deviceEx, *deviceEy, *deviceHz;
  cudaMalloc(&deviceSource, bytesOf(kSteps));
  cudaMalloc(&deviceEx, kField);
  cudaMalloc(&deviceEy, kField);
  cudaMalloc(&deviceHz, kField);

  cudaMemcpy(deviceSource, source, bytesOf(kSteps), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceEx, ex, kField, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceEy, ey, kField, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceHz, hz, kField, cudaMemcpyHostToDevice);
  for (int t = 0; t < kSteps; ++t) {
    stepEy<<<grid, block>>>(deviceSource, deviceHz, deviceEy, t);
    stepEx<<<grid, block>>>(deviceHz, deviceEx);
    stepHz<<<grid, block>>>(deviceEx, deviceEy, deviceHz);
  }
  cudaMemcpy(ex, deviceEx, kField, cudaMemcpyDeviceToHost);
  cudaMemcpy(ey, deviceEy, kField, cudaMemcpyDeviceToHost);
  cudaMemcpy(hz, deviceHz, kField, cudaMemcpyDeviceToHost);

  float *expectedEx = newArray(kCount, 2), *expectedEy = newArray(kCount, 3);
  float *expectedHz = newArray(kCount, 4);
  simulate(expectedEx, expectedEy, expectedHz);
  int wrong = report("ex", ex, expectedEx, kCount);
  wrong += report("ey", ey, expectedEy, kCount);
  wrong += report("hz", hz, expectedHz, kCount);
  cudaFree(deviceSource);
  cudaFree(deviceEx);
  cudaFree(deviceEy);
  cudaFree(deviceHz);
  free(source);
  free(ex);
  free(ey);
  free(hz);
  return wrong;
}
