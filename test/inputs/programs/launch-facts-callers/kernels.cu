#include "kernels.h"
__global__ void escapes(int *out, int n) { out[threadIdx.x] = n; }
// Kernels of different geometry share a helper.
__device__ __noinline__ void shared(int *out, int n) { out[threadIdx.x % 4] = blockDim.x == 64 * (n - 2) ? n : -1; }
__global__ void wide(int *out) { shared(out, 3); }
__global__ void narrow(int *out) { shared(out, 4); }
__global__ void extended(int *out, int n) { out[threadIdx.x] = n; }
__global__ void cooperative(int *out, int n) { out[threadIdx.x] = n; }
