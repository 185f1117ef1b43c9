#include "kernels.h"
#define DEFINE(name) __global__ void name(int *out, int n) { *out = n; }
KERNELS(DEFINE)
__global__ void whole(int *out, Params params) { *out = params.width + params.height; }
