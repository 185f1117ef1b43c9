#pragma once
#include "check.h"
extern __device__ float *hiddenPointer;
extern __device__ float table[4];
__global__ void inPlace(float *out, const float *in);
__global__ void elsewhere(float *out, const float *in);
__global__ void named(float *out, const float *in);
