#pragma once
#include <cstdio>
#define KERNELS(X)                                                             \
  X(both) X(onlyX) X(onlyY) X(runtime) X(config) X(swapped) X(changed)         \
  X(differs) X(returned)
#define DECLARE(name)                                                          \
  __global__ void name(int *out, int n);                                       \
  void name##Launch(dim3 grid, dim3 block, int *out);
KERNELS(DECLARE)
dim3 blockOf(unsigned x);
