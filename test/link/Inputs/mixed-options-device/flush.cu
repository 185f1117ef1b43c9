#include "kernels.h"
__global__ void flush(float *out, float a, float b) { *out = a * b; }
