// A faulting kernel: the launch succeeds, everything after it fails.
// EXPECT: launch no error
// EXPECT: synchronize an illegal memory access was encountered
// EXPECT: malloc an illegal memory access was encountered
// EXPECT: last an illegal memory access was encountered
// EXPECT: last again an illegal memory access was encountered
// EXPECT: after reset no error, no error
// EXPECT-ERR: _Z4wildPi
#include <cstdio>
#include <cuda_runtime.h>

__global__ void wild(int *p) { p[1 << 20] = 1; }

static const char *text(cudaError_t error) { return cudaGetErrorString(error); }

int main() {
  int *p;
  cudaMalloc(&p, 64);
  wild<<<1, 1>>>(p);
  printf("launch %s\n", text(cudaPeekAtLastError()));
  printf("synchronize %s\n", text(cudaDeviceSynchronize()));
  printf("malloc %s\n", text(cudaMalloc(&p, 64)));
  printf("last %s\n", text(cudaGetLastError()));
  printf("last again %s\n", text(cudaGetLastError()));
  cudaDeviceReset();
  cudaError_t error = cudaMalloc(&p, 64);
  printf("after reset %s, %s\n", text(error), text(cudaGetLastError()));
}
