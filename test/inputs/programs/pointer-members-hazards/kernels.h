#pragma once
#include "check.h"
struct Params { float *out; const float *in; };
struct Two { float *p[2]; };
__global__ void same(Params p);
__global__ void within(Params p);
__global__ void sometimes(Params p);
__global__ void unknown(Params p);
__global__ void otherMember(Two t, const float *in);
__global__ void copied(Params p);
__global__ void stored(Params p);
void fill(Params *p, float *any);
