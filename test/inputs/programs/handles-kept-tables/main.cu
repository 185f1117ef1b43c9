#include "all.h"
#define DEFINE(name, value) __global__ void name(float *p, int n) { *p = value + n; }
NAMES(DEFINE)
static Kernel table[3] = {red, nullptr, blue};
static __attribute__((noinline)) int launchMaybe(int i, float *data) {
  int n = 13;
  void *args[] = {&data, &n};
  return cudaLaunchKernel(i ? (void *)maybe : nullptr, dim3(1), dim3(1), args, 0, 0) != cudaSuccess;
}
static float show(float *data) {
  float host;
  cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost);
  return host;
}
int main() {
  float *data;
  volatile int zero = 0, one = 1;
  cudaMalloc(&data, 256);
  float shown[3];
  for (int i = 0; i < 3; ++i) {
    table[one] = green;
    table[2 - i + zero]<<<1, 1>>>(data, 11);
    table[zero] = i ? red : green;
    shown[i] = show(data) - 10;
  }
  printf("table %g %g %g\n", shown[0], shown[1], shown[2]);
  for (int i = 0; i < 2; ++i) {
    listed[i + zero]<<<1, 1>>>(data, 12);
    shown[i] = show(data);
  }
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, listed[zero]);
  printf("constant %g %g %d\n", shown[0], shown[1], attributes.maxThreadsPerBlock);
  int failed = launchMaybe(zero, data);
  launchMaybe(one, data);
  shown[0] = show(data);
  maybe<<<1, 1>>>(data, 13);
  printf("maybe %d %g %g\n", failed, shown[0], show(data));
}
