#include "kernels.h"
__constant__ int factors[4] = {2, 3, 5, 7};
__global__ void first(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = scale(i + 1, factors[2]);
  atomicAdd(&counter, i + 1);
}
namespace {
__global__ void local(int *out) { out[threadIdx.x] = 1001 + threadIdx.x; }
} // namespace
void runOne(int *p) {
  first<<<2, 4>>>(p);
  show("one", p, 8);
  local<<<1, 4>>>(p);
  show("local", p, 4);
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
