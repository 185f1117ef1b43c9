#pragma once
#define KERNELS(X) X(NoKept) X(NoStored) X(NoReturned) X(NoOne) X(NoRound) X(NoWrite)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
extern int *out;
void print(const char *what, const int *from);
struct Solver {
  int n, m;
  int *data;
  Solver();
  ~Solver();
  void setSize(int n);
  void keep();
};
Solver *make();
void changeKept(int n);
