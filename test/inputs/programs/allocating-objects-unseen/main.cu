#include "kernels.h"
static void print(const char *what, const int *from) {
  int value[2];
  cudaMemcpy(value, from, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", what, value[0], value[1]);
}
static NOINLINE void recurse(int depth, int *previous) {
  int *p = allocate(64);
  if (!previous)
    previous = p;
  if (depth == 0) {
    NoRecursion<<<1, 1>>>(previous, previous, 11);
    print("NoRecursion", previous);
    return;
  }
  recurse(depth - 1, previous);
}
int main(int argc, char **argv) {
#ifndef ALONE
  {
    Array a(64), b(64);
    int *own = b.data;
    nativeFill(&b, a.data);
    NoNative<<<1, 1>>>(a.data, b.data, 10);
    print("NoNative", a.data);
    b.data = own;
  }
#endif
  recurse(argc, nullptr);
  int *deep = allocateDeep(64), *deeper = allocateDeep(64);
  NoDeep<<<1, 1>>>(deep, deeper, 12);
  print("NoDeep", deep);
}
