#include "common.h"
__device__ int triple(int x);
static __device__ int twice(int x) { return 2 * x; }
__device__ int theirsCounter = 0;
__device__ Step steps[2] = {twice, triple};
__device__ int theirsStep(int x, bool isNegative) {
  return oursStep(isNegative ? -x : x, 1);
}
__device__ Pair theirsPair(Pair pair, char c) {
  return {short(pair.first * 100), pair.second * 2 * (c == 'c') - 1};
}
__global__ void theirsKernel(int *out) {
  atomicAdd(&instances<int>, threadIdx.x == 0);
  out[threadIdx.x] = oursStep(threadIdx.x, int(scales[1])) + 1001;
  if (threadIdx.x < 2)
    oursStep(0, 0);
}
void pointers(int *);
void theirs(int *p) {
  theirsKernel<<<1, 4>>>(p);
  show("theirs", p, 4);
  pointers(p);
}
