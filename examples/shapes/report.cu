#include "shapes.h"
__global__ void negate(int *value) { *value = -*value; }
int reported(int value) {
  int *device;
  cudaMalloc(&device, sizeof(int));
  cudaMemcpy(device, &value, sizeof(int), cudaMemcpyHostToDevice);
  negate<<<1, 1>>>(device);
  cudaMemcpy(&value, device, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device);
  return value;
}
