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
    s.run(640);
  }
  {
    Solver s;
    s.runAfter(641);
  }
  {
    Solver s;
    s.runMember(642);
  }
  {
    Solver s;
    s.runNested(643);
  }
}
