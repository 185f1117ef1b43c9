#include "kernels.h"
__constant__ int factors[4] = {2, 3, 5, 7};
static __device__ int local;
__global__ void __launch_bounds__(64, 2) first(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = scale(i + 1, factors[2]);
  atomicAdd(&counter, i + 1);
  atomicAdd(&local, 1);
}
static __global__ void second(int *out) { out[0] = local / 8, out[1] = 2; }
void runOne(int *p) {
  int zero = 0;
  CHECK(cudaMemcpyToSymbol(local, &zero, sizeof zero));
  first<<<2, 4>>>(p);
  show("one", p, 8);
}
void runLocal(int *p) {
  second<<<1, 1>>>(p);
  show("local", p, 2);
}
void runTemplates(int *p) {
  fill<int><<<2, 2>>>(p, 3);
  show("template int", p, 4);
  fill<short><<<1, 4>>>(p, 4);
  show("template short", p, 4);
}
int readCounter() {
  int value;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  return value;
}
