#include <cstdio>
#include <cuda_runtime.h>
extern "C" {
__global__ void flush(float *, float, float);
__global__ void keep(float *, float, float);
__global__ void fast(float *, float, float);
__global__ void apart(float *, float, float);
__global__ void fused(float *, float, float);
__global__ void zero(float *, float, float);
__global__ void shortSize(float *, float, float);
__global__ void longSize(float *, float, float);
}
