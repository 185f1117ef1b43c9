#include "kernels.h"
__device__ float product(float a, float b) { return a * b; }
__global__ void zero(float *out, float a, float b) { *out = product(a, b); }
