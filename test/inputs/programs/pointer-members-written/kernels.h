#pragma once
#include "check.h"
struct Params { float *out; const float *in; };
struct Two { float *p[2]; };
union Either { float *out; const float *in; };
struct WithUnion { Either e; const float *in; };
extern __device__ float *hidden;
__global__ void chosen(Two t, int which);
__global__ void changed(Params p, float *other, int n);
__global__ void throughHidden(Params p);
__global__ void united(WithUnion u);
__global__ void byHelper(Params p, int n);
__global__ void kept(Params p);
__global__ void between(Params p, Params q);
