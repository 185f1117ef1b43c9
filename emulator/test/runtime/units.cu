// Device code of two translation units that refer to each other.
// ONLY: nvcc-rdc clang-rdc
// SOURCES: units-other.cu
// EXPECT: 1000 1011 1022 1033
// EXPECT: calls 4
// EXPECT: other 77
#include <cstdio>
#include <cuda_runtime.h>

extern __device__ int offset;
extern __device__ int combine(int x);
__device__ int calls;
void runOther();

// Both units have a kernel of this name.
static __global__ void fill(int *out) { out[threadIdx.x] = combine(threadIdx.x); }

int main() {
  int host[4], *device, value = 1000;
  cudaMalloc(&device, sizeof(host));
  cudaMemcpyToSymbol(offset, &value, sizeof(value));
  fill<<<1, 4>>>(device);
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  cudaMemcpyFromSymbol(&value, calls, sizeof(value));
  printf("calls %d\n", value);
  runOther();
}
