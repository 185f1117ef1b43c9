// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "activations.h"

template <class F>
__device__ void forEach(float *values, int count, F function) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    values[i] = function(values[i]);
}

__global__ void relu(float *values, int count, float) {
  forEach(values, count, [](float x) { return x > 0 ? x : 0.0f; });
}

__global__ void leakyRelu(float *values, int count, float slope) {
  forEach(values, count, [=](float x) { return x > 0 ? x : slope * x; });
}

__global__ void sigmoid(float *values, int count, float slope) {
  forEach(values, count,
          [=](float x) { return 1.0f / (1.0f + expf(-slope * x)); });
}

__global__ void addBias(float *values, const float *bias, int rows,
                        int columns) {
  int count = rows * columns;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    values[i] += bias[i % columns];
}
