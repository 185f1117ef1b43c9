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
  Solver reached;
  setGlobal(&reached);
  {
    Solver s;
    s.runThrow(1);
  }
  reached.m = argc * 708;
  {
    Solver s;
    s.runWrite(1);
  }
}
