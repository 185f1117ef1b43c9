#include "kernels.h"
__global__ void fast(float *out, float a, float b) { *out = __builtin_sqrtf(a) / b; }
