#pragma once
#include "check.h"
struct Params { float *a; float *b; int n; };
__global__ void local(Params p);
__global__ void byValue(Params p);
__global__ void byReference(Params p);
__global__ void returned(Params p);
Params make(int n);
void launchByValue(Params p);
void launchByReference(const Params &p);
