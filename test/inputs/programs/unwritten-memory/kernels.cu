#include "kernels.h"
// A barrier writes nothing: the other threads only read, too.
__global__ void smoothed(float *out, const float *in, int n) {
  __shared__ float tile[32];
  int i = threadIdx.x;
  __syncthreads();
  tile[i] = in[i];
  __syncthreads();
  float left = tile[i ? i - 1 : 0];
  out[i] = left + tile[i] + in[n - 1];
}
// Two that are read may be one.
__global__ void both(const float *a, const float *b, float *out) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x + 1]; }
__global__ void optional(const float *in, float *out) { *out = in ? *in : 5; }
__global__ void total(float *out, Matrix m) {
  float sum = 0;
  for (int i = 0; i < m.n; ++i) {
    sum += m.values[i];
    *out = sum;
  }
}
__global__ void promised(float *__restrict__ out, const float *__restrict__ in) { out[0] = in[0] + 2; }
