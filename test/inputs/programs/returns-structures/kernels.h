#pragma once
#include "config.h"
__global__ void configKernel(int *out, int n);
__global__ void structKernel(int *out, Config config);
__global__ void computedKernel(int *out, int n);
__global__ void gridKernel(int *out);
__global__ void centredKernel(int *out, int n);
