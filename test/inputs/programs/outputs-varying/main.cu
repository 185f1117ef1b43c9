#include "kernels.h"
#include <cstdio>
#include <utility>
#define NOINLINE static __attribute__((noinline))
static int *out;
static void print(const char *what) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
NOINLINE void launchContext(int width) {
  Params p;
  fill(&p, width);
  NoContext<<<1, 1>>>(out, p.width);
  print("NoContext");
}
NOINLINE void launchNoCount(const Params *p) {
  NoCount<<<1, 1>>>(out, p->width);
  print("NoCount");
}
NOINLINE void launchNoSwap(const Params *p) {
  NoSwap<<<1, 1>>>(out, p->width);
  print("NoSwap");
}
int main(int argc, char **argv) {
  cudaMalloc(&out, sizeof(int));

  Params counted;
  fill(&counted, 0);
  for (int i = 0; i < argc + 1; ++i) {
    count(&counted);
    launchNoCount(&counted);
  }
  Params swapped, other;
  fill(&swapped, 704);
  fill(&other, 705);
  for (int i = 0; i < argc + 1; ++i) {
    launchNoSwap(&swapped);
    std::swap(swapped.width, other.width);
  }
  launchContext(708);
  launchContext(709);
}
