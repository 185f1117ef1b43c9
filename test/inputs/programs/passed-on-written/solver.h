#pragma once
#define KERNELS(X) \
  X(NoThrow) X(NoWrite)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
extern int *out;
void print(const char *what);
struct Solver {
  int n, m;
  Solver();
  void init(int n);
  void runThrow(int n);
  void runWrite(int n);
  void launchWrite();
};
void setGlobal(Solver *s);
void throwing(Solver *s, int n);
