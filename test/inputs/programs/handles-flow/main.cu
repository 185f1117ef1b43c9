#include "run.h"
#include <cstdio>
__global__ void add(float *data, int n) { data[threadIdx.x] += n * (blockDim.x / 64); }
__global__ void mul(float *data, int n) { data[threadIdx.x] *= n; }
__global__ void zero(float *data, int n) { data[threadIdx.x] = n; }
__global__ void one(float *data, int n) { data[threadIdx.x] = n + 0 * blockDim.x; }
__global__ void first(float *data, int n) { data[threadIdx.x] = n; }
__global__ void second(float *data, int n) { data[threadIdx.x] = n + 1; }
static const Kernel table[] = {zero, one};
static float *data;
static float result() {
  float value;
  cudaMemcpy(&value, data, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}
int main(int argc, char **argv) {
  float f[3];
  cudaMalloc(&data, 1024);
  cudaMemset(data, 0, 1024);
  run(add, data, 5);
  run(add, data, 6);
  f[0] = result();
  run(mul, data, 5);
  printf("run %g %g\n", f[0], result());
  for (int i = 0; i < 2; ++i) {
    table[(i + argc) % 2]<<<1, 32>>>(data, 9);
    f[i] = result();
  }
  printf("table %g %g\n", f[0], f[1]);
  Kernel chosen = argc < 2 ? first : second;
  chosen<<<1, 32>>>(data, 11);
  printf("choice %g\n", result());
}
