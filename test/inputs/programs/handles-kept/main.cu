#include "all.h"
#define DEFINE(name, value) __global__ void name(float *p, int n) { *p = value + n; }
NAMES(DEFINE)
static __attribute__((noinline)) Kernel here(int i) { return i ? front : back; }
static __attribute__((noinline)) Kernel through(int i) { return pick(i); }
static Kernel current;
static __attribute__((noinline)) void set(int i) { current = i ? first : second; }
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
  for (int i = 0; i < 2; ++i) {
    here(one - i)<<<1, 1>>>(data, 6);
    shown[i] = show(data);
  }
  printf("returned %g %g\n", shown[0], shown[1]);
  for (int i = 0; i < 2; ++i) {
    if (Kernel kernel = through(zero + i))
      kernel<<<1, 1>>>(data, 7);
    shown[i] = show(data);
  }
  printf("through %g %g\n", shown[0], shown[1]);
  for (int i = 0; i < 2; ++i) {
    set(one - i);
    current<<<1, 1>>>(data, 9);
    shown[i] = show(data);
  }
  printf("current %g %g\n", shown[0], shown[1]);
  choose(one);
  stored<<<1, 1>>>(data, 10);
  printf("other %g\n", show(data));
}
