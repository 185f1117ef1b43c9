#include "run.h"
#include <cstdio>
void launchNative(const void *kernel, void (*launch)(const void *));
__global__ void direct(float *data, int n) { data[0] = blockDim.x; }
__global__ void looped(float *data, int n) {
  for (int i = 0; i < n; ++i)
    data[threadIdx.x] = data[threadIdx.x] * 2 + n;
}
__global__ void asked(float *data, int n) { data[0] = blockDim.x; }
__global__ void native(float *data, int n) { data[0] = n; }
__global__ void shown(float *data, int n) { data[0] = n; }
__global__ void kept(float *data, int n) { data[0] = n; }
static const Kernel shownTable[] = {shown, kept};
const void *volatile keeper;
static float *data;
static void **arguments;
static float result() {
  float value;
  cudaMemcpy(&value, data, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}
static void launch(const void *kernel) { cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, 0); }
int main(int argc, char **argv) {
  float f[3];
  cudaMalloc(&data, 1024);
  cudaMemset(data, 0, 1024);
  int n = 4;
  void *array[] = {&data, &n};
  arguments = array;
  runtime((const void *)direct, array, 96);
  f[0] = result();
  both((const void *)asked, array, true);
  printf("direct %g %g\n", f[0], result());
  cudaMemset(data, 0, 1024);
  twice(looped, data);
  printf("twice %g\n", result());
  launchNative((const void *)native, launch);
  native<<<1, 1>>>(data, 4);
  f[0] = result();
  shownTable[argc - 1]<<<1, 1>>>(data, 5);
  f[1] = result();
  if (argc > 100)
    printf("%p\n", (const void *)shownTable[argc - 100]);
  keeper = (const void *)kept;
  kept<<<1, 1>>>(data, 6);
  printf("unknown %g %g %g\n", f[0], f[1], result());
}
