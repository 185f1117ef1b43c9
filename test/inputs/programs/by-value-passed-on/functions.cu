#include "program.h"
#define DEFINE(name)                                                           \
  __noinline__ __device__ int use##name(Values v) {                            \
    return v.a * 100 + v.b * 10 + v.c;                                         \
  }
FUNCTIONS(DEFINE)
__device__ Values *kept;
__noinline__ __device__ void keep(Values &v) { kept = &v; }
__noinline__ __device__ void writeKept() { kept->b = 9; }
