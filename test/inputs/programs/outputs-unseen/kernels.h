#pragma once
#include "params.h"
#define KERNELS(X) \
  X(NoThrow) X(NoNative) X(NoAny) X(NoAlias)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
