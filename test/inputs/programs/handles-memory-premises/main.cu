#include "all.h"
static float *p;
static void show(const char *name) {
  float host;
  cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost);
  printf("%s %g\n", name, host);
}
static void launchBits(unsigned long bits, int n) {
  Op op{1, "", nullptr};
  memcpy(&op.kernel, &bits, 8);
  launch(op, p, n);
}
static __attribute__((noinline)) void escapes(int zero) {
  Op a{32, "kept", kept};
  keep(a);
  launch(*lastKept(), p, 1);
  show("kept");
  Op b{32, "bytes", bytes};
  launchBits(sum(b) + zero, 2);
  show("bytes");
  Box box;
  unite(box);
  launchBits(box.word.bits + zero, 3);
  show("united");
  Op op{1, "stored", nullptr};
  store(&op, stored);
  launch(op, p, 4);
  show("stored");
  Op seen{1, "native", native};
  nativeLook(&seen);
  launch(seen, p, 5);
  show("native");
}
int main() {
  volatile int zero = 0;
  cudaMalloc(&p, 256);
  escapes(zero);
}
