#include "kernels.h"
#include <cstdio>
static void print(const char *what, int *out) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
int main(int argc, char **argv) {
  int *out;
  cudaMalloc(&out, sizeof(int));
  tileKernel<<<1, 1>>>(out, tile());
  print("tile", out);
  levelKernel<<<1, 1>>>(out, level(argc));
  print("level", out);
  pairKernel<<<1, 1>>>(out, makePair().b);
  print("pair", out);
  trioKernel<<<1, 1>>>(out, makeTrio(argc).b);
  print("trio", out);
  printf("host %d\n", hostTile());
  int sum = 0;
  for (int i = 0; i < argc; ++i)
    sum += 100 * same(3) + same(4);
  printf("same %d\n", sum);
}
