#include "kernels.h"
static float *device;
static float get() {
  float value;
  cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}
int main() {
  if (cudaMalloc(&device, sizeof(float)))
    return 1;
  volatile float tiny = 0x1p-130f, x = 1 + 0x1p-20f, one = 1, two = 2, four = 4;
  flush<<<1, 1>>>(device, tiny, one);
  printf("flush %d", get() != 0);
  keep<<<1, 1>>>(device, tiny, one);
  printf(" keep %d", get() != 0);
  fast<<<1, 1>>>(device, four, two);
  printf(" fast %d", get() > 5);
  apart<<<1, 1>>>(device, x, -one);
  printf(" apart %d", get() == 0x1p-19f);
  fused<<<1, 1>>>(device, x, -one);
  printf(" fused %d", get() == 0x1p-19f);
  zero<<<1, 1>>>(device, 2, 3);
  printf(" zero %g", get());
  shortSize<<<1, 1>>>(device, 0, 0);
  printf(" short %g", get());
  longSize<<<1, 1>>>(device, 0, 0);
  printf(" long %g\n", get());
}
