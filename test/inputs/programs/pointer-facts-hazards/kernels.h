#pragma once
#include "check.h"
struct Table { float *entries[2]; };
extern __device__ float *hiddenPointer;
__global__ void same(float *out, const float *in);
__global__ void within(float *out, const float *in);
__global__ void sometimes(float *out, const float *in);
__global__ void swapped(float *out, const float *in);
__global__ void chosen(float *out, const float *in);
__global__ void hidden(float *out, const float *in);
__global__ void table(float *out, Table t);
