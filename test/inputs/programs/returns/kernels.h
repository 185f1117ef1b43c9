#pragma once
#include "config.h"
__global__ void tileKernel(int *out, int n);
__global__ void levelKernel(int *out, int n);
__global__ void pairKernel(int *out, int n);
__global__ void trioKernel(int *out, int n);
