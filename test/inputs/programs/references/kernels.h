#pragma once
#include "params.h"
__global__ void knownKernel(int *out, Params params);
__global__ void memberKernel(int *out, Params params);
__global__ void scalarKernel(int *out, int n);
__global__ void writtenKernel(int *out, int n);
__global__ void deepKernel(int *out, int n);
