#include "objects.h"
#include <cstdio>
int *out;
NOINLINE void print(const char *what, const int *from) {
  int value;
  cudaMemcpy(&value, from, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
static NOINLINE void runRound(int count) {
  for (int i = 0; i < count; ++i) {
    Solver *s = new Solver;
    s->setSize(i + 1);
    NoRound<<<1, 1>>>(out, s->n);
    print("NoRound", out);
    s->setSize(7);
    delete s;
  }
}
static Solver *stored;
static NOINLINE void changeStored(int n) { stored->setSize(n); }
int main(int argc, char **argv) {
  cudaMalloc(&out, sizeof(int));
  {
    Solver *s = new Solver;
    s->keep();
    s->setSize(1);
    changeKept(700 + argc);
    NoKept<<<1, 1>>>(out, s->n);
    print("NoKept", out);
  }
  {
    stored = new Solver;
    stored->setSize(1);
    changeStored(701 + argc);
    NoStored<<<1, 1>>>(out, stored->n);
    print("NoStored", out);
  }
  {
    Solver *s = make();
    s->setSize(702 + argc);
    NoReturned<<<1, 1>>>(out, s->n);
    print("NoReturned", out);
  }
  {
    Solver *a = new Solver, *b = new Solver;
    a->setSize(1);
    b->setSize(704);
    Solver *s = argc > 5 ? a : b;
    NoOne<<<1, 1>>>(out, s->n);
    print("NoOne", out);
    s->setSize(2);
  }
  runRound(argc + 1);
  {
    Solver *s = new Solver;
    s->setSize(1);
    s->setSize(705 + argc);
    NoWrite<<<1, 1>>>(out, s->n);
    print("NoWrite", out);
  }
}
