#pragma once
struct Params {
  int width, rounds;
  float factor;
};
__global__ void blur(float *out, const float *in, int n, int radius);
__global__ void iterate(float *data, Params params);
__global__ void reduce(float *out, const float *in, int n);
__global__ void shift(float *out, const float *in, int n);
