#pragma once
#define KERNELS(X) \
  X(NoContext) X(NoNative)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
extern int *out;
void print(const char *what);
struct Solver {
  int n, m;
  Solver();
  void runContext(int n);
  void launchContext();
  void runNative(int n);
  void launchNative();
};
extern "C" void callNative(Solver *s);
extern "C" void runFromNative(Solver *s, int n);
