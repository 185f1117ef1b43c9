// Managed variables and memory; clang has no __managed__ for CUDA.
// ONLY: nvcc nvcc-rdc
// EXPECT: 5 then 15
// EXPECT: table 0 1 4 9
// EXPECT: allocated 42
#include <cstdio>
#include <cuda_runtime.h>

__managed__ int value = 5;
__managed__ int table[4];

__global__ void change(int *extra) {
  value += 10;
  for (int i = 0; i < 4; ++i)
    table[i] = i * i;
  *extra = 42;
}

int main() {
  int before = value, *extra;
  cudaMallocManaged(&extra, sizeof(int));
  change<<<1, 1>>>(extra);
  cudaDeviceSynchronize();
  printf("%d then %d\n", before, value);
  printf("table %d %d %d %d\n", table[0], table[1], table[2], table[3]);
  printf("allocated %d\n", *extra);
}
