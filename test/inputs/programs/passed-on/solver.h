#pragma once
#define KERNELS(X) X(passed) X(other) X(after) X(member) X(nested)
#define DECLARE(name) __global__ void name(int *out, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
extern int *out;
void print(const char *what);
struct Params {
  int width, height;
  void set(int w);
  void launch();
};
struct Solver {
  int n, m;
  Params params;
  Solver();
  void run(int n);
  void launch();
  void init(int n);
  void runAfter(int n);
  void runMember(int n);
  void runNested(int n);
  void launchNested();
};
