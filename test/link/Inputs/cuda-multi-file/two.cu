#include "kernels.h"
__device__ int counter = 0;
__device__ int scale(int x, int by) { return deepest(x * by) - 1; }
__global__ void second(int *out, int base) {
  int i = threadIdx.x;
  out[i] = base + scale(i + 1, factors[3]);
}
namespace two {
namespace {
__global__ void local(int *out) { out[threadIdx.x] = 2001 + threadIdx.x; }
} // namespace
} // namespace two
void runTwo(int *p) {
  second<<<1, 4>>>(p, 100);
  show("two", p, 4);
  two::local<<<1, 4>>>(p);
  show("other local", p, 4);
}
void runTemplatesTwo(int *p) {
  fill<int><<<1, 4>>>(p, 5);
  show("template int from two", p, 4);
}
