#include <cstdio>
__device__ int helper(int x);
__global__ void kernel(int *out) { *out = helper(3); }
int main() {
  int *p, value;
  cudaMalloc(&p, sizeof(int));
  kernel<<<1, 1>>>(p);
  cudaMemcpy(&value, p, sizeof(int), cudaMemcpyDeviceToHost);
  printf("ours %d\n", value);
}
