// ONLY: nvcc-rdc clang-rdc
// A launch from device code as clang has it, too.
// EXPECT: 1 3 5 7 9 11 13 15
#include <cstdio>
#include <cuda_runtime.h>

__global__ void child(int *p, int first) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = first + 2 * i;
}

__global__ void parent(int *p) {
  if (threadIdx.x == 31)
    child<<<2, 4>>>(p, 1);
}

int main() {
  int *p, v[8] = {};
  cudaMalloc(&p, sizeof(v));
  parent<<<1, 32>>>(p);
  cudaMemcpy(v, p, sizeof(v), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; ++i)
    printf(i < 7 ? "%d " : "%d\n", v[i]);
}
