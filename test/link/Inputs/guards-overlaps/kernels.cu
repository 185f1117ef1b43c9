#include "kernels.h"
extern "C" {
__global__ void rows(float *out, const float *a, const float *x, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  out[row] = 0;
  for (int k = 0; k < columns; ++k)
    out[row] += a[row * columns + k] * x[k];
}
__global__ void stride(float *out, const float *in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    out[i] = 3;
    for (int k = 0; k < n; ++k)
      out[i] = out[i] * 0.5f + in[k];
  }
}
__global__ void parts(Params p) {
  for (int i = 0; i < p.n; ++i)
    p.out[threadIdx.x] = p.out[threadIdx.x] * 0.25f + p.in[i];
}
__global__ void large(float *out, const float *in, size_t n) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < 50; ++k)
    out[i] = out[i] * 0.5f + in[i];
}
}
