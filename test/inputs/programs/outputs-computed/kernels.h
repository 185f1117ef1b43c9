#pragma once
#include "params.h"
#define KERNELS(X) X(shifted) X(product)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
__global__ void geometry(int *out);
