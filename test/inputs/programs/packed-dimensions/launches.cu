#include "program.h"
#define CHEVRON(name)                                                          \
  void name##Launch(dim3 grid, dim3 block, int *out) {                         \
    name<<<grid, block>>>(out, 1);                                             \
  }
CHEVRON(both) CHEVRON(onlyX) CHEVRON(onlyY) CHEVRON(differs) CHEVRON(returned)
void runtimeLaunch(dim3 grid, dim3 block, int *out) {
  int n = 2;
  void *arguments[] = {&out, &n};
  cudaLaunchKernel((void *)runtime, grid, block, arguments, 0, 0);
}
void configLaunch(dim3 grid, dim3 block, int *out) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  cudaLaunchKernelEx(&config, ::config, out, 3);
}
void swappedLaunch(dim3 grid, dim3 block, int *out) {
  swapped<<<grid, dim3(block.y, block.x)>>>(out, 4);
}
void changedLaunch(dim3 grid, dim3 block, int *out) {
  ++block.y;
  changed<<<grid, block>>>(out, 5);
}
dim3 blockOf(unsigned x) { return dim3(x, 4); }
