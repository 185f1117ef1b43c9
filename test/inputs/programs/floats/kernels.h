#pragma once
#define KERNELS(X) X(rate) X(first) X(negated) X(twice) X(depth) X(grid) X(NoSum) X(NoDenormal) X(NoNumber) X(NoFast) X(NoNative)
#define DECLARE(name) __global__ void name(float *out, float n);
KERNELS(DECLARE)
