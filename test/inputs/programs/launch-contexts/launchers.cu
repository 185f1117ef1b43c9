#include "kernels.h"
static void print(const char *what, const int *from) {
  int value[2];
  cudaMemcpy(value, from, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", what, value[0], value[1]);
}
#define LAUNCHER(function, kernel) \
  NOINLINE void function(int *out, const int *in, int n) { \
    kernel<<<1, 1>>>(out, in, n); \
    print(#kernel, out); \
  }
LAUNCHER(launchTwo, two)
LAUNCHER(launchNoSame, NoSame)
LAUNCHER(launchNoTaken, NoTaken)
LAUNCHER(launchNoLoop, NoLoop)
NOINLINE void launchObjects(Array &out, const Array &in, int n) {
  objects<<<1, 1>>>(out.data, in.data, n);
  print("objects", out.data);
}
NOINLINE Array::Array() {
  cudaMalloc(&data, 256);
  cudaMemset(data, 0, 256);
}
NOINLINE Array::~Array() { cudaFree(data); }
NOINLINE int *allocate() {
  int *p = nullptr;
  cudaMalloc(&p, 256);
  cudaMemset(p, 0, 256);
  return p;
}
