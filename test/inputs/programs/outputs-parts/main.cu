#include "kernels.h"
#include <cstdio>
#define NOINLINE static __attribute__((noinline))
static int *out;
static void print(const char *what) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
// Writes one field, reads another.
NOINLINE void launchUntouched(Params *p) {
  p->width = 1;
  untouched<<<1, 1>>>(out, p->blocks);
}
int main(int argc, char **argv) {
  cudaMalloc(&out, sizeof(int));
  Params parts;
  fillTwoThirds(&parts, 642);
  fillThird(&parts, argc);
  again<<<1, 1>>>(out, parts.width);
  print("again");
  Params value;
  fill(&value, 643);
  whole<<<1, 1>>>(out, value);
  print("whole");
  Params written;
  fill(&written, 1);
  launchUntouched(&written);
  print("untouched");

}
