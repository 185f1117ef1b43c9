#include <cstdio>
__global__ void loneKernel(int *out) { *out = 5; }
void run() {
  int *p, value;
  cudaMalloc(&p, sizeof(int));
  loneKernel<<<1, 1>>>(p);
  cudaMemcpy(&value, p, sizeof(int), cudaMemcpyDeviceToHost);
  printf("lone %d\n", value);
}
