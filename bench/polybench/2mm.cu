// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// D = alpha * A * B * C + beta * D, by way of tmp = alpha * A * B. Two nests, 8
// copies. The host never reads tmp.
#include "common.h"

constexpr int kI = SIZE, kJ = SIZE + 8, kK = SIZE - 8, kL = SIZE + 16;
constexpr float kAlpha = 1.5f, kBeta = 1.25f;

__global__ void multiplyFirst(const float *a, const float *b, float *tmp) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kI || j >= kJ)
    return;
  float sum = 0;
  for (int k = 0; k < kK; ++k)
    sum += kAlpha * a[i * kK + k] * b[k * kJ + j];
  tmp[i * kJ + j] = sum;
}

__global__ void multiplySecond(const float *tmp, const float *c, float *d) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kI || j >= kL)
    return;
  float sum = kBeta * d[i * kL + j];
  for (int k = 0; k < kJ; ++k)
    sum += tmp[i * kJ + k] * c[k * kL + j];
  d[i * kL + j] = sum;
}

static float *expectedD() {
  float *a = newArray(kI * kK, 1), *b = newArray(kK * kJ, 2);
  float *c = newArray(kJ * kL, 3), *d = newArray(kI * kL, 4);
  for (int i = 0; i < kI; ++i) {
    float row[kJ];
    for (int j = 0; j < kJ; ++j) {
      row[j] = 0;
      for (int k = 0; k < kK; ++k)
        row[j] += kAlpha * a[i * kK + k] * b[k * kJ + j];
    }
    for (int j = 0; j < kL; ++j) {
      d[i * kL + j] *= kBeta;
      for (int k = 0; k < kJ; ++k)
        d[i * kL + j] += row[k] * c[k * kL + j];
    }
  }
  free(a);
  free(b);
  free(c);
  return d;
}

int main() {
  constexpr size_t kBytesOfA = bytesOf(kI * kK), kBytesOfB = bytesOf(kK * kJ);
  constexpr size_t kBytesOfC = bytesOf(kJ * kL), kBytesOfD = bytesOf(kI * kL);
  constexpr size_t kBytesOfTmp = bytesOf(kI * kJ);
  const dim3 block(kBlockWidth, kBlockHeight);
  float *a = newArray(kI * kK, 1), *b = newArray(kK * kJ, 2);
  float *c = newArray(kJ * kL, 3), *d = newArray(kI * kL, 4);
  float *tmp = newArray(kI * kJ, 5);
  float *deviceA, *deviceB, *deviceC, *deviceD, *deviceTmp;
  cudaMalloc(&deviceA, kBytesOfA);
  cudaMalloc(&deviceB, kBytesOfB);
  cudaMalloc(&deviceC, kBytesOfC);
  cudaMalloc(&deviceD, kBytesOfD);
  cudaMalloc(&deviceTmp, kBytesOfTmp);

  cudaMemcpy(deviceA, a, kBytesOfA, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceB, b, kBytesOfB, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceTmp, tmp, kBytesOfTmp, cudaMemcpyHostToDevice);
  multiplyFirst<<<blocksFor(kI, kJ), block>>>(deviceA, deviceB, deviceTmp);
  cudaMemcpy(tmp, deviceTmp, kBytesOfTmp, cudaMemcpyDeviceToHost);

  cudaMemcpy(deviceTmp, tmp, kBytesOfTmp, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceC, c, kBytesOfC, cudaMemcpyHostToDevice);
  cudaMemcpy(deviceD, d, kBytesOfD, cudaMemcpyHostToDevice);
  multiplySecond<<<blocksFor(kI, kL), block>>>(deviceTmp, deviceC, deviceD);
  cudaMemcpy(d, deviceD, kBytesOfD, cudaMemcpyDeviceToHost);

  int wrong = report("D", d, expectedD(), kI * kL);
  cudaFree(deviceA);
  cudaFree(deviceB);
  cudaFree(deviceC);
  cudaFree(deviceD);
  cudaFree(deviceTmp);
  free(a);
  free(b);
  free(c);
  free(d);
  free(tmp);
  return wrong;
}
