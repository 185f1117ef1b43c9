#include "kernels.h"
__global__ void blur(float *out, const float *in, int n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int d = -radius; d <= radius; ++d)
    if (i + d >= 0 && i + d < n)
      sum += in[i + d];
  out[i] = sum / (2 * radius + 1);
}
__global__ void iterate(float *data, Params params) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < params.rounds; ++r)
    data[i * params.width] = data[i * params.width] * params.factor + 1;
}
__global__ void shift(float *out, const float *in, int n) {
  for (int i = 0; i < n; ++i)
    out[threadIdx.x + 32 * i] = in[threadIdx.x + 32 * i + 32];
}
__global__ void reduce(float *out, const float *in, int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step)
      part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *out = part[0];
}
