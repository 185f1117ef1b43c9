#include "kernels.h"
static __device__ __forceinline__ void body(float *out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum = sum * 2 + 2;
  out[threadIdx.x] = sum;
}
#define DEFINE(name) __global__ void name(float *out, int n) { body(out, n); }
KERNELS(DEFINE)
__global__ void labeled(float *out, int n) {
  body(out, n);
  asm volatile("bra here;\nhere:");
}
__global__ void little(float *out, int n) {
  float sum = 0;
  for (int i = 0; i < 100; ++i)
    if (out[i] > sum)
      sum = out[i] / (sum * 3 + 2) + 1 / (out[i] * out[i] + 1);
  out[threadIdx.x] = n;
  if (sum > 1e30f)
    out[1] = sum;
}
extern "C" __global__ void taken(float *out, int n) { body(out, n); }
extern "C" __global__ void taken$cp1(float *out) { *out = 1; }
