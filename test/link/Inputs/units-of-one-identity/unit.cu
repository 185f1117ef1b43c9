#if !defined INCLUDED && __has_include("factor.h")
#include "factor.h"
#endif
static __device__ int base = 10;
static __global__ void scale(int *p) { *p += FACTOR; }
static __global__ void read(int *p) { *p += FACTOR + base; }
void RUN(int *p, int *results) {
  cudaMemset(p, 0, 4);
  scale<<<1, 1>>>(p);
  cudaMemcpy(results, p, 4, cudaMemcpyDeviceToHost);
  int ten;
  cudaMemcpyFromSymbol(&ten, base, 4);
  cudaMemset(p, 0, 4);
  read<<<1, 1>>>(p);
  cudaMemcpy(results + 1, p, 4, cudaMemcpyDeviceToHost);
  if (ten != 10 || cudaGetLastError())
    results[0] = -1;
}
