// A race on shared memory is reported, with the kernel's name; the same kernel
// with a barrier is not.
// RUN-OPTIONS: --race-check
// EXPECT: synchronized 59
// EXPECT-ERR: race on shared memory in kernel _Z6unsafePi
// REFUSE-ERR: race on shared memory in kernel _Z4safePi
#include <cstdio>
#include <cuda_runtime.h>

__global__ void unsafe(int *p) {
  __shared__ int buffer[64];
  buffer[threadIdx.x] = threadIdx.x;
  p[threadIdx.x] = buffer[63 - threadIdx.x];
}

__global__ void safe(int *p) {
  __shared__ int buffer[64];
  buffer[threadIdx.x] = threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = buffer[63 - threadIdx.x];
}

int main() {
  int *p, host[64];
  cudaMalloc(&p, sizeof(host));
  unsafe<<<1, 64>>>(p);
  safe<<<1, 64>>>(p);
  cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
  printf("synchronized %d\n", host[4]);
}
