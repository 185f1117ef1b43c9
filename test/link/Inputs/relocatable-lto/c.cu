#include "run.h"
static __global__ void kernel(int *out) {
  out[threadIdx.x] = 14;
  atomicAdd(&count, 1);
}
void runC() { run("c", kernel, 1); }
