#include "kernels.h"
static void print(const char *what, const int *from) {
  int value[2];
  cudaMemcpy(value, from, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", what, value[0], value[1]);
}
static NOINLINE void launchMethod(const Array &out, const Array &in) {
  method<<<1, 1>>>(out.data, in.data, 2);
  print("method", out.data);
}
int main(int argc, char **argv) {
  {
    Array out(64), in(64);
    objects<<<1, 1>>>(out.data, in.data, 0);
    print("objects", out.data);
  }
  {
    Array out(64), in(64, 0);
    delegating<<<1, 1>>>(out.data, in.data, 1);
    print("delegating", out.data);
    launchMethod(out, in);
  }
  int *out = allocate(64), *in = allocate(64);
  factory<<<1, 1>>>(out, in, 3);
  print("factory", out);
  int *zeroed = allocateZeroed(64), *other = allocateZeroed(64);
  outer<<<1, 1>>>(zeroed, other, 4);
  print("outer", zeroed);
  {
    Derived a, b;
    second<<<1, 1>>>(a.data, b.more, 5);
    print("second", a.data);
  }
}
