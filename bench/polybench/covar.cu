// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The covariances of the columns of data. Three nests, 9 copies. The host reads
// none of the means, and not the centered data.
#include "common.h"

constexpr int kPoints = SIZE + 16, kColumns = SIZE;

__global__ void findMeans(const float *data, float *mean) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= kColumns)
    return;
  float sum = 0;
  for (int i = 0; i < kPoints; ++i)
    sum += data[i * kColumns + j];
  mean[j] = sum / kPoints;
}

__global__ void center(float *data, const float *mean) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kPoints && j < kColumns)
    data[i * kColumns + j] -= mean[j];
}

__global__ void covariance(const float *data, float *symmat) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 >= kColumns)
    return;
  for (int j2 = j1; j2 < kColumns; ++j2) {
    float sum = 0;
    for (int i = 0; i < kPoints; ++i)
      sum += data[i * kColumns + j1] * data[i * kColumns + j2];
    symmat[j1 * kColumns + j2] = sum;
    symmat[j2 * kColumns + j1] = sum;
  }
}

static float *expectedSymmat() {
  float *data = newArray(kPoints * kColumns, 1);
  float *symmat = newArray(kColumns * kColumns, 3);
  for (int j = 0; j < kColumns; ++j) {
    float sum = 0;
    for (int i = 0; i < kPoints; ++i)
      sum += data[i * kColumns + j];
    for (int i = 0; i < kPoints; ++i)
      data[i * kColumns + j] -= sum / kPoints;
  }
  for (int j1 = 0; j1 < kColumns; ++j1)
    for (int j2 = 0; j2 < kColumns; ++j2) {
      float sum = 0;
      for (int i = 0; i < kPoints; ++i)
        sum += data[i * kColumns + j1] * data[i * kColumns + j2];
      symmat[j1 * kColumns + j2] = sum;
    }
  free(data);
  return symmat;
}

int main() {
  constexpr size_t kData = bytesOf(kPoints * kColumns);
  constexpr size_t kRow = bytesOf(kColumns);
  constexpr size_t kSymmat = bytesOf(kColumns * kColumns);
  float *data = newArray(kPoints * kColumns, 1), *mean = newArray(kColumns, 2);
  float *symmat = newArray(kColumns * kColumns, 3);
  float *deviceData, *deviceMean, *deviceSymmat;
  cudaMalloc(&deviceData, kData);
  cudaMalloc(&deviceMean, kRow);
  cudaMalloc(&deviceSymmat, kSymmat);

  cudaMemcpy(deviceData, data, kData, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceMean, mean, kRow, cudaMemcpyHostToDevice);
  findMeans<<<blocksFor(kColumns), kThreads>>>(deviceData, deviceMean);
  cudaMemcpy(mean, deviceMean, kRow, cudaMemcpyDeviceToHost);

  cudaMemcpy(deviceData, data, kData, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceMean, mean, kRow, cudaMemcpyHostToDevice);
  center<<<blocksFor(kPoints, kColumns), dim3(kBlockWidth, kBlockHeight)>>>(
      deviceData, deviceMean);
  cudaMemcpy(data, deviceData, kData, cudaMemcpyDeviceToHost);

  cudaMemcpy(deviceData, data, kData, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceSymmat, symmat, kSymmat, cudaMemcpyHostToDevice);
  covariance<<<blocksFor(kColumns), kThreads>>>(deviceData, deviceSymmat);
  cudaMemcpy(symmat, deviceSymmat, kSymmat, cudaMemcpyDeviceToHost);

  int wrong = report("symmat", symmat, expectedSymmat(), kColumns * kColumns);
  cudaFree(deviceData);
  cudaFree(deviceMean);
  cudaFree(deviceSymmat);
  free(data);
  free(mean);
  free(symmat);
  return wrong;
}
