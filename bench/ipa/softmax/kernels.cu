// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "softmax.h"

__global__ void softmaxRows(float *out, const float *in, int columns,
                            float scale) {
  __shared__ float scratch[32];
  const float *row = in + blockIdx.x * columns;
  float *result = out + blockIdx.x * columns;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    most = fmaxf(most, scale * row[i]);
  most = blockMax(most, scratch);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    float e = expf(scale * row[i] - most);
    result[i] = e;
    sum += e;
  }
  sum = blockSum(sum, scratch);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    result[i] /= sum;
}

__global__ void normRows(float *out, const float *in, const float *gain,
                         const float *bias, int columns, float epsilon) {
  __shared__ float scratch[32];
  const float *row = in + blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    sum += row[i];
  float mean = blockSum(sum, scratch) / columns;
  float squares = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    squares += (row[i] - mean) * (row[i] - mean);
  float deviation = rsqrtf(blockSum(squares, scratch) / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[blockIdx.x * columns + i] =
        (row[i] - mean) * deviation * gain[i] + bias[i];
}
