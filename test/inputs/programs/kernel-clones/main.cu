#include "kernels.h"
#include <cstdio>
static float host[256];
static void show(const char *what, float *data) {
  cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < 256; ++i)
    sum += host[i] * (i % 7 + 1);
  printf("%s %.6g\n", what, sum);
}
int main(int argc, char **argv) {
  float *in, *out;
  int n = 255 + argc;
  for (int i = 0; i < 256; ++i)
    host[i] = i % 13;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  blur<<<4, 64>>>(out, in, n, 2);
  show("blur", out);
  blur<<<2, 128>>>(out, in, n, 2);
  show("blur", out);
  int radius = 3;
  void *arguments[] = {&out, &in, &n, &radius};
  cudaLaunchKernel((void *)blur, dim3(4), dim3(64), arguments, 0, 0);
  show("blur", out);
  iterate<<<4, 64>>>(out, Params{1, 4, 0.5f});
  show("iterate", out);
  iterate<<<1, 64>>>(out, Params{3, 2, 0.25f});
  show("iterate", out);
  iterate<<<1, 64>>>(out, Params{argc, argc + 1, 0.75f});
  show("iterate", out);
  shift<<<1, 32>>>(out, in, 4);
  show("shift", out);
  shift<<<1, 32>>>(out, out, 6);
  show("shift", out);
  reduce<<<1, 64>>>(out, in, n);
  show("reduce", out);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(256);
  cudaLaunchKernelEx(&config, reduce, out, (const float *)in, n);
  show("reduce", out);
}
