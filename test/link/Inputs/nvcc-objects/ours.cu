#include "common.h"
__device__ int oursCounter = 0;
__constant__ float scales[2] = {10, 2};
__device__ int oursStep(int x, unsigned char by) {
  atomicAdd(&oursCounter, 1);
  return x * by;
}
__device__ int triple(int x) { return 3 * x; }
__global__ void oursKernel(int *out) {
  int i = threadIdx.x;
  Pair pair = theirsPair({short(i), 0.5}, 'c');
  out[i] = theirsStep(deep((i + 1) * int(scales[0])), false) + pair.first +
           int(pair.second);
  atomicAdd(&theirsCounter, 1);
  atomicAdd(&instances<int>, 1);
}
__global__ void pointerKernel(int *out) {
  out[threadIdx.x] = steps[threadIdx.x](threadIdx.x + 1) + square(1) +
                     instances<int> - 5;
}
void ours(int *p) {
  oursKernel<<<1, 4>>>(p);
  show("ours", p, 4);
}
void pointers(int *p) {
  pointerKernel<<<1, 2>>>(p);
  show("pointers", p, 2);
}
void counters() {
  int values[2];
  CHECK(cudaMemcpyFromSymbol(values, oursCounter, sizeof(int)));
  CHECK(cudaMemcpyFromSymbol(values + 1, theirsCounter, sizeof(int)));
  printf("counters %d %d\n", values[0], values[1]);
}
