#pragma once
#include "params.h"
__global__ void keptKernel(int *out, int n);
__global__ void unseenKernel(int *out, int n);
__global__ void twiceKernel(int *out, int n);
__global__ void differsKernel(int *out, int n);
