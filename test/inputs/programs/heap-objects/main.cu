#include "objects.h"
#include <cstdio>
int *out;
NOINLINE void print(const char *what, const int *from) {
  int value;
  cudaMemcpy(&value, from, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
static NOINLINE void launchBoth(const Solver *a, const Solver *b) {
  both<<<1, 1>>>(a->data, b->data);
  print("both", a->data);
}
static NOINLINE void runLoop(int count) {
  for (int i = 0; i < count; ++i) {
    Solver *s = new Solver;
    s->setSize(641);
    loop<<<1, 1>>>(out, s->n);
    print("loop", out);
    delete s;
  }
}
int main(int argc, char **argv) {
  cudaMalloc(&out, sizeof(int));
  {
    Solver *s = new Solver;
    s->setSize(640);
    s->launch();
    delete s;
  }
  {
    Solver *a = new Solver, *b = new Solver;
    launchBoth(a, b);
    delete a;
    delete b;
  }
  runLoop(argc + 1);
}
