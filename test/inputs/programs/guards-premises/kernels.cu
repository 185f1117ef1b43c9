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
__global__ void labeled(float *out, const float *in, int n) {
  out[threadIdx.x] = sum(in, n);
  asm volatile("bra here;\nhere:");
}
// One access less among many instructions.
__global__ void little(float *out, const float *in, int n) {
  float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  for (int i = 0; i < 4; ++i) {
    a = a * n / (b * b + 1) + 1 / (a * a + 3);
    b = b / (a * b + 2) + 3 / b - a;
  }
  out[threadIdx.x] = a + b;
}
__device__ const float *kept;
__global__ void overlap(float *out, const float *in) {
  kept = in;
  int i = 4 * threadIdx.x;
  out[i] = in[i] + 1;
  out[i + 1] = in[i + 1] + 2;
  out[i + 2] = in[i + 2] + 3;
  out[i + 3] = in[i + 3] + 4;
}
