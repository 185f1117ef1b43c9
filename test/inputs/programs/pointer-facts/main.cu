#include "kernels.h"
static __attribute__((noinline)) void run(float *out, const float *in) { passedOn<<<1, 4>>>(out, in); }
int main(int argc, char **argv) {
  float *a, *b, *c, ones[64];
  for (float &x : ones)
    x = 1;
  CHECK(cudaMalloc(&a, 256));
  CHECK(cudaMalloc((void **)&b, 256));
  CHECK(cudaMallocManaged(&c, 256));
  CHECK(cudaMemcpy(a, ones, 256, cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemsetAsync(b, 0, 256, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 4; ++i)
    c[i] = i + 1;
  rows<<<1, 4>>>(b, a, c);
  rows<<<1, 4>>>(b, a, c);
  CHECK(cudaMemcpy(ones, b, 64, cudaMemcpyDeviceToHost));
  float sum = 2;
  for (int i = 0; i < 16; ++i)
    sum += ones[i];
  printf("rows %g\n", sum);
  float *in, *out;
  CHECK(cudaMalloc(&in, 64));
  CHECK(cudaMalloc(&out, 64));
  float six = 6;
  CHECK(cudaMemcpy(in, &six, 4, cudaMemcpyHostToDevice));
  run(out, in);
  show("passed on", out, 1);
}
