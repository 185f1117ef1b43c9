#pragma once
#include <cstdio>
void run(float *data, int n, int rounds);
template <typename T> __global__ void scale(T *data, T factor, int n) {
  T sum = 0;
  for (int i = 0; i < n; ++i)
    sum = sum + factor;
  data[threadIdx.x] = sum;
}
inline float first(float *data) {
  float value;
  cudaMemcpy(&value, data, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}
void other(float *data, float factor);
