#pragma once
struct Matrix {
  const float *data;
  int columns;
};
__global__ void dot(float *out, const float *a, const float *x, int n);
__global__ void quads(float *out, const float *in, int n);
__global__ void rows(float *out, Matrix matrix);
__global__ void step(float *out, const float *in, int n, int stride);
