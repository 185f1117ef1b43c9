#include "kernels.h"
#define NOINLINE __attribute__((noinline))
NOINLINE void print(const char *what, int *from) {
  int value;
  cudaMemcpy(&value, from, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
NOINLINE void launchGlobals() {
  global<<<1, 1>>>(out, in, number);
  print("global", out);
  NoSame<<<1, 1>>>(out, out, 7);
  print("NoSame", out);
  NoOther<<<1, 1>>>(out, other, 8);
  print("NoOther", out);
  NoSwap<<<1, 1>>>(left, right, 9);
  print("NoSwap", left);
  NoNative<<<1, 1>>>(byNative, in, 10);
  print("NoNative", byNative);
  NoAddress<<<1, 1>>>(addressed, in, 11);
  print("NoAddress", addressed);
  NoPartly<<<1, 1>>>(partly, in, 13);
  print("NoPartly", partly);
  NoNumber<<<1, 1>>>(out, out, changing);
  print("NoNumber", out);
}
