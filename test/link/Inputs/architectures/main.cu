#include <cstdio>
#include <cuda_runtime.h>
__device__ int part();
__global__ void kernel(int *out) {
#ifdef __CUDA_ARCH__
  out[0] = __CUDA_ARCH__;
#endif
  out[1] = part();
}
void say(const int *);
int main() {
  int *device, host[2];
  if (cudaMalloc(&device, sizeof host))
    return 1;
  kernel<<<1, 1>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  say(host);
}
