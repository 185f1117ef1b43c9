#include "program.h"
int main(int argc, char **) {
  int *out, host[4];
  unsigned n = argc;
  cudaMalloc(&out, sizeof host);
  auto show = [&](const char *name) {
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s %d %d %d %d\n", name, host[0], host[1], host[2], host[3]);
  };
#define RUN(name, grid, block)                                                 \
  name##Launch(grid, block, out);                                              \
  show(#name);
  RUN(both, dim3(1, 2), dim3(16, 8))
  RUN(both, dim3(1, 2), dim3(16, 8))
  RUN(onlyX, 1, dim3(16, n))
  RUN(onlyX, 1, dim3(16, n + 1))
  RUN(onlyY, 1, dim3(n, 4))
  RUN(onlyY, 1, dim3(n + 1, 4))
  RUN(runtime, 1, dim3(n, 4))
  RUN(config, 1, dim3(16, n + 1))
  RUN(swapped, 1, dim3(n, 4))
  RUN(changed, 1, dim3(16, n + 1))
  RUN(differs, 1, dim3(16, 2))
  RUN(differs, 1, dim3(16, 3))
  RUN(returned, 1, blockOf(n + 1))
  cudaFree(out);
}
