#pragma once
#define KERNELS(X) X(NoHeap) X(NoGlobal) X(NoKept)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
extern int *out;
void print(const char *what);
struct Solver {
  int n, m;
  Solver();
  void runHeap(int n);
  void launchHeap();
  void runGlobal(int n);
  void launchGlobal();
  void runKept(int n);
  void launchKept();
};
void setGlobal(Solver *s);
void changeGlobal(int n);
void keep(Solver *s);
void changeKept(int n);
