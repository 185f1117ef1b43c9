// The second unit of units.cu.
#include <cstdio>
#include <cuda_runtime.h>

__device__ int offset;
extern __device__ int calls;

__device__ int combine(int x) {
  atomicAdd(&calls, 1);
  return offset + 11 * x;
}

static __global__ void fill(int *out) { *out = 77; }

void runOther() {
  int host = 0, *device;
  cudaMalloc(&device, sizeof(host));
  fill<<<1, 1>>>(device);
  cudaMemcpy(&host, device, sizeof(host), cudaMemcpyDeviceToHost);
  printf("other %d\n", host);
}
