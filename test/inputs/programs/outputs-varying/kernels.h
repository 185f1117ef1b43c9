#pragma once
#include "params.h"
#define KERNELS(X) \
  X(NoCount) X(NoSwap) X(NoContext)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
