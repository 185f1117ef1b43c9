#pragma once
#include "check.h"
struct Params { float *a; float *b; int n; };
__global__ void swapped(Params p);
__global__ void swappedLocal(Params p);
__global__ void rewired(Params p);
__global__ void pinned(Params p);
