#pragma once
#include "check.h"
struct Params { const float *in; int n; };
__device__ float sum(const float *p, int n);
__device__ float either(const float *p, int n);
__device__ float mixed(const float *p, int n);
__device__ const float *row(const float *p, int i);
__device__ void put(float *p, float x);
__device__ void keep(float *p);
__device__ void putKept(float x);
