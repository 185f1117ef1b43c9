#include "kernels.h"
#include <cstdio>
const void *volatile keeper;
static float *out;
static float result() {
  float value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}
#define LAUNCH(name, n) (name<<<1, 32>>>(out, n), result())
int main(int argc, char **argv) {
  int blocks;
  cudaMalloc(&out, 1024);
  cudaMemset(out, 0, 1024);
  float f[3] = {LAUNCH(free, 2), LAUNCH(free, 3), LAUNCH(free, 4)};
  printf("free %g %g %g\n", f[0], f[1], f[2]);
  cudaFuncSetAttribute((const void *)set, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  f[0] = LAUNCH(set, 2);
  printf("set %g %g\n", f[0], LAUNCH(set, 3));
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)asked, 32, 0);
  f[0] = LAUNCH(asked, 2);
  printf("asked %g %g\n", f[0], LAUNCH(asked, 3));
  keeper = (const void *)stored;
  f[0] = LAUNCH(stored, 2);
  printf("stored %g %g\n", f[0], LAUNCH(stored, 3));
  int n = argc + 1;
  void *arguments[] = {&out, &n};
  cudaKernelNodeParams node = {};
  node.func = (void *)graph;
  node.gridDim = dim3(1);
  node.blockDim = dim3(32);
  node.kernelParams = arguments;
  if (argc > 100) {
    cudaGraph_t made;
    cudaGraphNode_t added;
    cudaGraphCreate(&made, 0);
    cudaGraphAddKernelNode(&added, made, nullptr, 0, &node);
    cudaGraphKernelNodeSetParams(added, &node);
  }
  f[0] = LAUNCH(graph, 2);
  printf("graph %g %g\n", f[0], LAUNCH(graph, 3));
  f[0] = LAUNCH(labeled, 2);
  printf("labeled %g %g\n", f[0], LAUNCH(labeled, 3));
  f[0] = LAUNCH(little, 2);
  printf("little %g %g\n", f[0], LAUNCH(little, 3));
  f[0] = LAUNCH(taken, 2);
  f[1] = LAUNCH(taken, 3);
  taken$cp1<<<1, 1>>>(out);
  printf("taken %g %g %g\n", f[0], f[1], result());
}
