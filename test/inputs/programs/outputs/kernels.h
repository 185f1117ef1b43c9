#pragma once
#include "params.h"
#define KERNELS(X) X(width) X(height) X(step) X(branch) X(outer)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
