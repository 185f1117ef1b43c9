#pragma once
#define KERNELS(X) X(even) X(odd) X(known)
#define DECLARE(name) __global__ void name(float *out, const float *in, int n);
KERNELS(DECLARE)
extern "C" DECLARE(taken)
extern "C" __global__ void taken$cp1(float *out);
__global__ void both(float *out, const float *in, int n, int rounds);
__global__ void apart(float *__restrict__ out, const float *__restrict__ in);
