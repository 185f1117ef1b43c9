#pragma once
#define KERNELS(X) X(made) X(set) X(loop)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
__global__ void both(int *out, const int *in);
#define NOINLINE __attribute__((noinline))
extern int *out;
void print(const char *what, const int *from);
struct Solver {
  int n, m;
  int *data;
  Solver();
  ~Solver();
  void setSize(int n);
  void launch();
};
