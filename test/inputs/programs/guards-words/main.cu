#include "kernels.h"
#include <cstdio>
#include <cstdlib>
static float host[8192];
static void show(const char *what, float *data) {
  cudaMemcpy(host, data, 256 * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < 256; ++i)
    sum += host[i] * (i % 7 + 1);
  printf("%s %.6g\n", what, sum);
}
int main(int, char **argv) {
  size_t columns = strtoull(argv[1], nullptr, 10);
  size_t stride = strtoull(argv[2], nullptr, 10);
  unsigned blocks = 3 + stride;
  float *in, *out;
  for (int i = 0; i < 8192; ++i)
    host[i] = i % 13;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  turn<<<blocks, 64>>>(out, in, 256, columns, stride);
  show("turn", out);
  view<<<2, 64>>>(out, in, Sizes{200 + stride, columns});
  show("view", out);
}
