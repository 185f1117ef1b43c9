#pragma once
#include <cuda_fp16.h>
struct Shape { int rows, columns; float scale; const float *bias; };
extern __managed__ float total[4];
__global__ void finish(float *out, const __grid_constant__ Shape shape);
__global__ void multiply(const half *a, const half *b, float *c);
__global__ void gather(const float *in, float *out);
