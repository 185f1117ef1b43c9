#pragma once
#include "params.h"
#define KERNELS(X) X(again) X(untouched)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
__global__ void whole(int *out, Params params);
