#include "kernels.h"
#include <cstdio>
#define NOINLINE static __attribute__((noinline))
static int *out;
static void print(const char *what) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
int main(int argc, char **argv) {
  cudaMalloc(&out, sizeof(int));

  Params path;
  path.width = argc;
  maybeFill(&path, argc);
  NoPath<<<1, 1>>>(out, path.width);
  print("NoPath");
  Params between;
  fill(&between, 1);
  change(&between, 700 + argc);
  NoBetween<<<1, 1>>>(out, between.width);
  print("NoBetween");
  Params kept;
  keep(&kept);
  fill(&kept, 1);
  changeKept(701 + argc);
  NoKept<<<1, 1>>>(out, kept.width);
  print("NoKept");
  Params twice;
  both(&twice, &twice, 701 + argc);
  NoTwice<<<1, 1>>>(out, twice.width);
  print("NoTwice");
}
