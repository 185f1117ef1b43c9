#include "kernels.h"
#include <cstdio>
#include <cstdlib>
static float host[8192];
static void show(const char *what, float *data) {
  cudaMemcpy(host, data, 64 * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += host[i] * (i % 7 + 1);
  printf("%s %.6g\n", what, sum);
}
int main(int, char **argv) {
  int n = atoi(argv[1]), offset = atoi(argv[2]), stride = atoi(argv[3]);
  float *in, *out;
  for (int i = 0; i < 8192; ++i)
    host[i] = i % 13;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  dot<<<2, 32>>>(out, in + offset, in + 64 + offset, n);
  show("dot", out);
  quads<<<2, 32>>>(out, in + offset, n);
  show("quads", out);
  rows<<<2, 32>>>(out, Matrix{in + offset, n});
  show("rows", out);
  step<<<1, 64>>>(out, in + offset, n, stride);
  show("step", out);
}
