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
    s.runContext(705);
    s.runContext(706);
  }
  {
    Solver s;
    s.runNative(1);
    callNative(&s);
  }
}
