#include "run.h"
void runtime(const void *kernel, void **arguments, int block) {
  cudaLaunchKernel(kernel, dim3(1), dim3(block), arguments, 0, 0);
}
void twice(Kernel kernel, float *data) {
  kernel<<<1, 32>>>(data, 3);
  kernel<<<1, 32>>>(data, 4);
  int n = 5;
  void *arguments[] = {&data, &n};
  cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), arguments, 0, 0);
}
void both(const void *kernel, void **arguments, bool ask) {
  int blocks = 0;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, 0);
  if (ask)
    runtime(kernel, arguments, 128);
}
