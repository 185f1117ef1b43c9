#include "run.h"
__global__ void power(float *data, int rounds) {
  float value = data[threadIdx.x];
  for (int i = 1; i < rounds; ++i)
    value *= data[threadIdx.x];
  data[threadIdx.x] = value;
}
void run(float *data, int n, int rounds) { power<<<1, n, 0, 0>>>(data, rounds); }
