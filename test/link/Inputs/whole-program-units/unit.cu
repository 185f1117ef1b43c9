#include "unit.cuh"
__device__ int own(int x) { return UNIT == 1 ? x : x + 0 * UNIT; }
#define CAT(a, b) a##b
#define NAME(n) CAT(unit, n)
void NAME(UNIT)(int *p) {
  int n = UNIT;
  cudaMemcpyToSymbol(value, &n, 4);
  cudaMemcpyToSymbol(counter<0>, &n, 4);
  run<0><<<1, 1>>>(p);
}
