// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The correlations of the columns of data. Four nests, 14 copies. The host
// reads none of the means and deviations, and not the centered data. It stores
// the last element itself, which no round of the last nest does.
#include "common.h"

constexpr int kPoints = SIZE + 16, kColumns = SIZE;
// Deviations below it count as 1.
constexpr float kEpsilon = 0.1f;

__global__ void findMeans(const float *data, float *mean) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= kColumns)
    return;
  float sum = 0;
  for (int i = 0; i < kPoints; ++i)
    sum += data[i * kColumns + j];
  mean[j] = sum / kPoints;
}

__global__ void findDeviations(const float *data, const float *mean,
                               float *stddev) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= kColumns)
    return;
  float sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    float difference = data[i * kColumns + j] - mean[j];
    sum += difference * difference;
  }
  float deviation = sqrtf(sum / kPoints);
  stddev[j] = deviation <= kEpsilon ? 1 : deviation;
}

__global__ void center(float *data, const float *mean, const float *stddev) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kPoints || j >= kColumns)
    return;
  float difference = data[i * kColumns + j] - mean[j];
  data[i * kColumns + j] = difference / (sqrtf(kPoints) * stddev[j]);
}

__global__ void correlate(const float *data, float *symmat) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 >= kColumns - 1)
    return;
  symmat[j1 * kColumns + j1] = 1;
  for (int j2 = j1 + 1; j2 < kColumns; ++j2) {
    float sum = 0;
    for (int i = 0; i < kPoints; ++i)
      sum += data[i * kColumns + j1] * data[i * kColumns + j2];
    symmat[j1 * kColumns + j2] = sum;
    symmat[j2 * kColumns + j1] = sum;
  }
}

static float *expectedSymmat() {
  float *data = newArray(kPoints * kColumns, 1);
  float *symmat = newArray(kColumns * kColumns, 4);
  for (int j = 0; j < kColumns; ++j) {
    float mean = 0, squares = 0;
    for (int i = 0; i < kPoints; ++i)
      mean += data[i * kColumns + j] / kPoints;
    for (int i = 0; i < kPoints; ++i) {
      data[i * kColumns + j] -= mean;
      squares += data[i * kColumns + j] * data[i * kColumns + j];
    }
    float deviation = sqrtf(squares / kPoints);
    deviation = deviation <= kEpsilon ? 1 : deviation;
    for (int i = 0; i < kPoints; ++i)
      data[i * kColumns + j] /= sqrtf(kPoints) * deviation;
  }
  for (int j1 = 0; j1 < kColumns; ++j1)
    for (int j2 = 0; j2 < kColumns; ++j2) {
      float sum = 0;
      for (int i = 0; i < kPoints; ++i)
        sum += data[i * kColumns + j1] * data[i * kColumns + j2];
      symmat[j1 * kColumns + j2] = j1 == j2 ? 1 : sum;
    }
  free(data);
  return symmat;
}

int main() {
  constexpr size_t kData = bytesOf(kPoints * kColumns);
  constexpr size_t kRow = bytesOf(kColumns);
  constexpr size_t kSymmat = bytesOf(kColumns * kColumns);
  float *data = newArray(kPoints * kColumns, 1), *mean = newArray(kColumns, 2);
  float *stddev = newArray(kColumns, 3);
  float *symmat = newArray(kColumns * kColumns, 4);
  float *deviceData, *deviceMean, *deviceStddev, *deviceSymmat;
  CHECK(cudaMalloc(&deviceData, kData));
  CHECK(cudaMalloc(&deviceMean, kRow));
  CHECK(cudaMalloc(&deviceStddev, kRow));
  CHECK(cudaMalloc(&deviceSymmat, kSymmat));

  CHECK(cudaMemcpy(deviceData, data, kData, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceMean, mean, kRow, cudaMemcpyHostToDevice));
  findMeans<<<blocksFor(kColumns), kThreads>>>(deviceData, deviceMean);
  CHECK(cudaMemcpy(mean, deviceMean, kRow, cudaMemcpyDeviceToHost));

  CHECK(cudaMemcpy(deviceData, data, kData, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceMean, mean, kRow, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceStddev, stddev, kRow, cudaMemcpyHostToDevice));
  findDeviations<<<blocksFor(kColumns), kThreads>>>(deviceData, deviceMean,
                                                    deviceStddev);
  CHECK(cudaMemcpy(stddev, deviceStddev, kRow, cudaMemcpyDeviceToHost));

  CHECK(cudaMemcpy(deviceData, data, kData, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceMean, mean, kRow, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceStddev, stddev, kRow, cudaMemcpyHostToDevice));
  center<<<blocksFor(kPoints, kColumns), dim3(kBlockWidth, kBlockHeight)>>>(
      deviceData, deviceMean, deviceStddev);
  CHECK(cudaMemcpy(data, deviceData, kData, cudaMemcpyDeviceToHost));

  CHECK(cudaMemcpy(deviceData, data, kData, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceSymmat, symmat, kSymmat, cudaMemcpyHostToDevice));
  correlate<<<blocksFor(kColumns), kThreads>>>(deviceData, deviceSymmat);
  CHECK(cudaMemcpy(symmat, deviceSymmat, kSymmat, cudaMemcpyDeviceToHost));
  symmat[kColumns * kColumns - 1] = 1;

  int wrong = report("symmat", symmat, expectedSymmat(), kColumns * kColumns);
  CHECK(cudaFree(deviceData));
  CHECK(cudaFree(deviceMean));
  CHECK(cudaFree(deviceStddev));
  CHECK(cudaFree(deviceSymmat));
  free(data);
  free(mean);
  free(stddev);
  free(symmat);
  return wrong;
}
