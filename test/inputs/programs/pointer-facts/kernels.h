#pragma once
#include "check.h"
__global__ void rows(float *out, const float *in, const float *w);
__global__ void passedOn(float *out, const float *in);
