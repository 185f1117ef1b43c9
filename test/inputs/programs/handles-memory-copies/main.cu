#include "all.h"
static float *p;
#include "to_driver.h"
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
static __attribute__((noinline)) void others(int zero) {
  Op from{1, "copied", nullptr}, to;
  fill(&from, copied);
  memcpy(&to, &from, sizeof to);
  launch(to, p, 6);
  launch(from, p, 6);
  show("copied");
  Op made{};
  fill(&made, half);
  unsigned low, high;
  memcpy(&low, &made.kernel, 4);
  memcpy(&high, (char *)&made.kernel + 4, 4);
  launchBits((unsigned long)(high + zero) << 32 | low, 7);
  show("half");
  void (*volatile pointer)(Op *, Kernel) = refill;
  Op taker{1, "", nullptr};
  pointer(&taker, taken);
  launch(taker, p, 8);
  show("taken");
  Op one{1, "", nullptr}, two{1, "", nullptr};
  fill(zero ? &one : &two, chosen);
  launch(two, p, 9);
  show("chosen");
}
static __attribute__((noinline)) void containers() {
  std::vector<Op> ops;
  list(ops);
  launch(ops[0], p, 10);
  show("listed");
  std::map<int, Op> mappedOps;
  map(mappedOps);
  launch(mappedOps[1], p, 11);
  show("mapped");
  Op op{1, "", nullptr};
  fill(&refer(op), returned);
  launch(op, p, 12);
  show("returned");
}
int main() {
  volatile int zero = 0;
  cudaMalloc(&p, 256);
  others(zero);
  containers();
}
