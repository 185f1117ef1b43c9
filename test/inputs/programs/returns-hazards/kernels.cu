#include "kernels.h"
__global__ void changedKernel(int *out, int n) { *out = n; }
__global__ void keptKernel(int *out, int n) { *out = n; }
__global__ void nativeKernel(int *out, int n) { *out = n; }
__global__ void twiceKernel(int *out, int n) { *out = n; }
__global__ void anywhereKernel(int *out, int n) { *out = n; }
