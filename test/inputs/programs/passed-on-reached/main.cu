#include "solver.h"
#include <cstdio>
int *out;
void print(const char *what) {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  printf("%s %d\n", what, value);
}
Solver *stored;
int main(int argc, char **argv) {
  cudaMalloc(&out, sizeof(int));
  stored = new Solver;
  stored->runHeap(1);
  Solver reached;
  setGlobal(&reached);
  reached.runGlobal(1);
  {
    Solver s;
    s.runKept(1);
  }
}
