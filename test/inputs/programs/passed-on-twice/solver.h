#pragma once
#define KERNELS(X) X(NoTwice) \
  X(NoResult)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
extern int *out;
void print(const char *what);
struct Solver {
  int n, m;
  Solver();
  void runTwice(int n);
};
struct Result {
  int n, more[7];
};
void launchTwice(Solver *a, const Solver *b);
void keepResult(Result *r);
Result makeResult(int n);
