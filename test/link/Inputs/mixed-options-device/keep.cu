#include "kernels.h"
__global__ void keep(float *out, float a, float b) { *out = a * b; }
