#include "kernels.h"
__global__ void dot(float *out, const float *a, const float *x, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * x[k];
  out[row] = sum;
}
__global__ void quads(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[4 * i] + in[4 * i + 1] * 2 + in[4 * i + 2] * 3 + in[4 * i + 3];
}
__global__ void rows(float *out, Matrix matrix) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < matrix.columns; ++k)
    sum += matrix.data[row * matrix.columns + k];
  out[row] = sum;
}
__global__ void step(float *out, const float *in, int n, int stride) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum = sum * 0.5f + in[k * stride];
  out[threadIdx.x] = sum;
}
