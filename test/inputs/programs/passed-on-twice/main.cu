#include "solver.h"
#include <cstdio>
int *out;
void print(const char *what) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
int main(int argc, char **argv) {
  cudaMalloc(&out, sizeof(int));
  {
    Solver s;
    s.runTwice(1);
  }
  Result r = makeResult(710 + argc);
  NoResult<<<1, 1>>>(out, r.n);
  print("NoResult");
}
