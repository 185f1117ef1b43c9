#include <cstdio>
#include <cuda_runtime.h>
__device__ int twice(int);
static __device__ int count;
__global__ void kernel(int *out) {
  out[threadIdx.x] = twice(threadIdx.x + 1) + 1;
  atomicAdd(&count, 1);
}
int runKernel() {
  int *device, host[2], launches;
  if (cudaMalloc(&device, sizeof host))
    return 1;
  kernel<<<1, 2>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&launches, count, sizeof launches);
  printf("kernel %d %d count %d\n", host[0], host[1], launches);
  return 0;
}
