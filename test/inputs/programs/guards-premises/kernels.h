#pragma once
#define KERNELS(X) X(set) X(asked) X(stored)
#define DECLARE(name) __global__ void name(float *out, const float *in, int n);
KERNELS(DECLARE)
DECLARE(labeled)
DECLARE(little)
__global__ void overlap(float *out, const float *in);
