#include "kernels.h"
#include <cstdio>
static void print(const char *what, int *out) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
static __attribute__((noinline)) void launchChanged(int *out, const Config &config) {
  changedKernel<<<1, 1>>>(out, config.width);
}
static __attribute__((noinline)) void launchKept(int *out, const Config &config) {
  changeKept();
  keptKernel<<<1, 1>>>(out, config.width);
}
static __attribute__((noinline)) void launchTwice(int *out, const Config &config) {
  twiceKernel<<<1, 1>>>(out, config.width);
}
static __attribute__((noinline)) void launchAnywhere(int *out, const Config &config) {
  anywhereKernel<<<1, 1>>>(out, config.width);
}
int main(int argc, char **argv) {
  int *out;
  cudaMalloc(&out, sizeof(int));
  Config changed = makeConfig(1);
  changed.width = argc + 32;
  launchChanged(out, changed);
  print("changed", out);
  Config kept = makeKept(1);
  launchKept(out, kept);
  print("kept", out);
  nativeKernel<<<1, 1>>>(out, nativeTile());
  print("native", out);
  Config twice = makeConfig(35);
  if (argc == 1)
    twice = makeConfig(36);
  launchTwice(out, twice);
  print("twice", out);
  Config anywhere = makeAnywhere(1, argc - 1);
  launchAnywhere(out, anywhere);
  print("anywhere", out);
}
