#include "kernels.h"
#include <cstdio>
#define NOINLINE static __attribute__((noinline))
static int *out;
static void print(const char *what) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
NOINLINE void launchNoAlias(Params *a, const Params *b, int width) {
  a->width = width;
  check(a);
  NoAlias<<<1, 1>>>(out, b->width);
}
int main(int argc, char **argv) {
  cudaMalloc(&out, sizeof(int));

  Params thrown;
  thrown.width = 705 + argc;
  try {
    fillOrThrow(&thrown, argc);
  } catch (int) {
  }
  NoThrow<<<1, 1>>>(out, thrown.width);
  print("NoThrow");
  Params native;
  fill(&native, 1);
  nativeFill(&native);
  NoNative<<<1, 1>>>(out, native.width);
  print("NoNative");
  Params any;
  fill(&any, 1);
  fillAny(&any, argc - 1, 710);
  NoAny<<<1, 1>>>(out, any.width);
  print("NoAny");
  Params aliased;
  fill(&aliased, 1);
  launchNoAlias(&aliased, &aliased, 711);
  print("NoAlias");
}
