#include "helpers.h"
__device__ __noinline__ float sum(const float *p, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i];
  return s;
}
