#pragma once
#include "params.h"
#define KERNELS(X) \
  X(NoPath) X(NoBetween) X(NoKept) X(NoTwice)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
