#include "kernels.h"
__device__ float *hiddenPointer;
__device__ float table[4];
__global__ void inPlace(float *out, const float *in) {
  for (int k = 1; k < 3; ++k)
    out[k] = 2 * in[k - 1];
}
__global__ void elsewhere(float *out, const float *in) {
  float before = in[0];
  hiddenPointer[0] = before + 1;
  out[1] = in[0];
  out[0] = before;
}
__global__ void named(float *out, const float *in) { out[0] = in[0] + 1; }
