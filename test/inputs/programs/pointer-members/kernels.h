#pragma once
#include "check.h"
struct Params { float *out; const float *in; const float *w; int n; };
struct Nested { int n; struct { float *a[3]; } inner; };
struct Out { float *p; };
struct In { const float *p; };
__global__ void rows(Params p);
__global__ void nested(Nested s);
__global__ void two(Out o, In i);
__global__ void mixed(float *out, In i, int n);
__global__ void helper(Params p);
__global__ void inlined(Params p);
__device__ float sumOf(const float *p, int i);
