#pragma once
#include <cstdio>
struct Values {
  int a, b, c, d, e, f;
};
#define FUNCTIONS(X) X(All) X(Changed) X(Kept) X(InLoop) X(Host)
#define DECLARE(name)                                                          \
  __device__ int use##name(Values v);                                          \
  __global__ void run##name(Values v, int n, int *out);
FUNCTIONS(DECLARE)
__device__ void keep(Values &v);
__device__ void writeKept();
void launchHost(Values v, int n, int *out);
