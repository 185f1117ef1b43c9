#include "kernels.h"
static __device__ __forceinline__ float sum(const float *in, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum = sum * 0.5f + in[k];
  return sum;
}
#define DEFINE(name)                                                           \
  __global__ void name(float *out, const float *in, int n) {                   \
    out[threadIdx.x] = sum(in, n);                                             \
  }
KERNELS(DEFINE)
extern "C" DEFINE(taken)
extern "C" __global__ void taken$cp1(float *out) { *out = 1; }
__global__ void both(float *out, const float *in, int n, int rounds) {
  float total = 0;
  for (int i = 0; i < rounds; ++i)
    total = total * 3 + i;
  out[threadIdx.x] = total + sum(in, n);
}
__global__ void apart(float *__restrict__ out, const float *__restrict__ in) {
  int i = 4 * threadIdx.x;
  out[i] = in[i] + 1;
  out[i + 1] = in[i + 1] + 2;
  out[i + 2] = in[i + 2] + 3;
  out[i + 3] = in[i + 3] + 4;
}
