#include "run.h"
__device__ int twice(int);
int answer();
__global__ void kernel(int *out) {
  out[threadIdx.x] = twice(threadIdx.x + 1) + 1;
  atomicAdd(&count, 1);
}
void runA() {
  if (answer() != 42)
    puts("unreached");
  run("a", kernel, 2);
}
