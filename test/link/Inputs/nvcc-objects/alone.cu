#include "check.h"
__device__ int offset = 2;
__global__ void aloneKernel(int *out) { out[threadIdx.x] = threadIdx.x + offset; }
void alone(int *p) {
  aloneKernel<<<1, 2>>>(p);
  show("alone", p, 2);
}
