#include "shapes.h"

__global__ void fill(int *result, int width, int height) {
  *result = area(width, height);
}

int areaOf(int width, int height) {
  int *result, host = 0;
  cudaMalloc(&result, sizeof(int));
  fill<<<1, 1>>>(result, width, height);
  cudaMemcpy(&host, result, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(result);
  return plain(&host);
}
