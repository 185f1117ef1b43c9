#include "sum.h"
#define SUM(name)                                                              \
  __device__ __noinline__ float name(const float *p, int n) {                  \
    float s = 0;                                                               \
    for (int i = 0; i < n; ++i)                                                \
      s += p[i];                                                               \
    return s;                                                                  \
  }
SUM(sum)
SUM(either)
SUM(mixed)
__device__ __noinline__ const float *row(const float *p, int i) { return p + 32 * i; }
__device__ __noinline__ void put(float *p, float x) { *p = x; }
__device__ float *kept;
__device__ __noinline__ void keep(float *p) { kept = p; }
__device__ __noinline__ void putKept(float x) { *kept = x; }
