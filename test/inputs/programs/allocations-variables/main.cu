#include "kernels.h"
#include <cstring>
#include <utility>
#define NOINLINE static __attribute__((noinline))
int *out, *in, *other, *left, *right, *byNative, *addressed, *partly;
int number = 640, changing = 14;
NOINLINE void initGlobals(int argc) {
  cudaMalloc(&out, 2 * sizeof(int));
  cudaMalloc(&in, 2 * sizeof(int));
  if (argc > 1)
    cudaMalloc(&other, 2 * sizeof(int));
  else
    other = out;
  cudaMalloc(&left, 2 * sizeof(int));
  cudaMalloc(&right, 2 * sizeof(int));
  cudaMalloc(&byNative, 2 * sizeof(int));
  cudaMalloc(&addressed, 2 * sizeof(int));
  cudaMalloc(&partly, 2 * sizeof(int));
}
NOINLINE void setAddressed(int **where, int *with) { *where = with; }
int main(int argc, char **argv) {
  initGlobals(argc);
  setNative(in);
  setAddressed(&addressed, in);
  memcpy(&partly, &in, argc * 8);
  launchGlobals();
  std::swap(left, right);
  changing += argc;
  launchGlobals();
}
