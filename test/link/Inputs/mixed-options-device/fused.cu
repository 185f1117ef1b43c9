#include "kernels.h"
__global__ void fused(float *out, float a, float b) { *out = a * a + b; }
