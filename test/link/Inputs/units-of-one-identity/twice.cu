#include <cstdio>
static __device__ int count;
static __global__ void add() { ++count; }
static struct Runner {
  Runner() {
    int n = -1;
    add<<<1, 1>>>();
    cudaMemcpyFromSymbol(&n, count, 4);
    printf(first() ? "%d" : " %d", n);
  }
  static int first();
} runner;
__attribute__((weak)) int Runner::first() {
  static int calls;
  return !calls++;
}
