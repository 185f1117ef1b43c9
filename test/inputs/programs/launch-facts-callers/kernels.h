#pragma once
#include "check.h"
__global__ void escapes(int *out, int n);
__global__ void wide(int *out);
__global__ void narrow(int *out);
__global__ void extended(int *out, int n);
__global__ void cooperative(int *out, int n);
