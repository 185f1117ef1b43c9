// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

__global__ void divide(size_t *out, size_t a, size_t b) {
  out[threadIdx.x] = a / b + a % b + threadIdx.x;
}

__global__ void count(size_t *out, size_t n, size_t step) {
  size_t found = 0;
  for (size_t i = threadIdx.x; i < n; i += step)
    found += 256 + (i & 255);
  out[threadIdx.x] = found;
}

__global__ void border(float *out, const float *in, size_t nx, size_t ny) {
  size_t x = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  size_t y = size_t(blockIdx.y) * blockDim.y + threadIdx.y;
  if (x == 0 || x + 1 >= nx || y == 0 || y + 1 >= ny)
    return;
  out[y * nx + x] = in[(y - 1) * nx + x] + in[(y + 1) * nx + x];
}

__global__ void sum(float *out, const float *in, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += in[threadIdx.x * n + i];
  out[threadIdx.x] = total;
}

__global__ void strided(float *out, const float *in, int n, int stride) {
  float total = 0;
  for (int i = 0; i < n; ++i)
    total += in[i * stride];
  *out = total;
}

__global__ void smooth(float *out, const float *in, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = in[i] + in[i + 1];
}

__global__ void last(size_t *out, size_t columns, int threads) {
  size_t all = size_t(gridDim.x) * blockDim.x;
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i + threads < all)
    return;
  size_t place = i + threads - all;
  out[2 * place] = i / columns;
  out[2 * place + 1] = i % columns;
}
