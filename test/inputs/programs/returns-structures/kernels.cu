#include "kernels.h"
__global__ void configKernel(int *out, int n) { *out = n; }
__global__ void structKernel(int *out, Config config) { *out = config.width + config.height; }
__global__ void computedKernel(int *out, int n) { *out = n; }
__global__ void gridKernel(int *out) { *out = gridDim.x * blockDim.x; }
__global__ void centredKernel(int *out, int n) { *out = n; }
