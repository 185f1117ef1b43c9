#include "kernels.h"
__global__ void rows(float *out, const float *in, const float *w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k)
    out[4 * i + k] = in[4 * i + k] * w[k];
}
__global__ void passedOn(float *out, const float *in) { out[threadIdx.x] = 2 * in[threadIdx.x] + in[0]; }
