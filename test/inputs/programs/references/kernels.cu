#include "kernels.h"
__global__ void knownKernel(int *out, Params params) { *out = params.a + params.b; }
__global__ void memberKernel(int *out, Params params) { *out = params.a + params.b; }
__global__ void scalarKernel(int *out, int n) { *out = n; }
__global__ void writtenKernel(int *out, int n) { *out = n; }
__global__ void deepKernel(int *out, int n) { *out = n; }
