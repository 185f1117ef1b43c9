#include "kernels.h"
#include <cstdio>
static void print(const char *what, int *out) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
static __attribute__((noinline)) void launchConfig(int *out, const Config &config) {
  configKernel<<<1, 1>>>(out, config.width);
}
static __attribute__((noinline)) void launchComputed(int *out, const Config &config) {
  computedKernel<<<1, 1>>>(out, (config.width + 15) / 16 + 1);
}
static __attribute__((noinline)) void launchGrid(int *out, int n) {
  gridKernel<<<(n + 255) / 256, 256>>>(out);
}
static __attribute__((noinline)) void launchCentred(int *out, const Config &config) {
  centredKernel<<<1, 1>>>(out, config.width);
}
int main(int argc, char **argv) {
  int *out;
  cudaMalloc(&out, sizeof(int));
  Config config = makeConfig(640);
  launchConfig(out, config);
  print("config", out);
  Config whole = makeConfig(320);
  structKernel<<<1, 1>>>(out, whole);
  print("struct", out);
  launchComputed(out, config);
  print("computed", out);
  launchGrid(out, 1000);
  print("grid", out);
  Config centred = makeCentred(3);
  launchCentred(out, centred);
  print("centred", out);
}
