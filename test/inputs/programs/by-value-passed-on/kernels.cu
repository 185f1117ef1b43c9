#include "program.h"
__global__ void runAll(Values v, int n, int *out) { *out = useAll(v); }
__global__ void runChanged(Values v, int n, int *out) {
  v.b = n;
  *out = useChanged(v);
}
__global__ void runKept(Values v, int n, int *out) {
  keep(v);
  writeKept();
  *out = useKept(v);
}
__global__ void runInLoop(Values v, int n, int *out) {
  int sum = 0;
  for (int i = 0; i < n + 2; ++i) {
    sum += useInLoop(v);
    ++v.b;
    if (i == 1)
      ++v.c;
  }
  *out = sum;
}
__global__ void runHost(Values v, int n, int *out) { *out = useHost(v); }
void launchHost(Values v, int n, int *out) {
  v.c = n + 8;
  runHost<<<1, 1>>>(v, n, out);
}
