#include "program.h"
int main(int argc, char **) {
  int *out, host;
  cudaMalloc(&out, sizeof host);
  auto show = [&](const char *name) {
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s %d\n", name, host);
  };
  Values v{4, 5, 6, argc, argc, argc};
  runAll<<<1, 1>>>(v, argc, out);
  show("all");
  runChanged<<<1, 1>>>(v, argc, out);
  show("changed");
  runKept<<<1, 1>>>(v, argc, out);
  show("kept");
  runInLoop<<<1, 1>>>(v, argc, out);
  show("loop");
  launchHost(v, argc, out);
  show("host");
  cudaFree(out);
}
