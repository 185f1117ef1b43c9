#pragma once
#include "check.h"
struct Params { int *out; int n; float f; };
__global__ void known(int *out, int n, float f);
__global__ void twice(int *out, int n);
__global__ void fields(Params p);
__global__ void changes(Params p);
__global__ void bounded(int *out);
