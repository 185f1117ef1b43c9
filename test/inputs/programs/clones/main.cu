#include "helpers.h"
#include <cstdio>
__global__ void viaShared(float *out, const float *in) {
  __shared__ float tile[32];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[0] = sum(tile, 32);
}
__global__ void viaGlobal(float *out, const float *in, int n) { out[0] = sum(in, n); }
static __attribute__((noinline)) int plus(int a, int b) { return a + b; }
static __attribute__((noinline)) int times(int a, int b) { return a * b; }
static __attribute__((noinline)) int callBack(int (*f)(int, int), const int *p) { return fold(f, p, 4); }
int main(int argc, char **argv) {
  float host[64], *in, *out, result;
  for (int i = 0; i < 64; ++i)
    host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(float));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  viaShared<<<1, 32>>>(out, in);
  cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
  printf("shared %g\n", result);
  viaGlobal<<<1, 1>>>(out, in, 63 + argc);
  cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
  printf("global %g\n", result);
  int values[] = {1, 2, 3, 4, 5};
  printf("fold %d %d\n", fold(plus, values, 5), fold(times, values, 5));
  printf("native %d\n", callBack(argc > 100 ? times : plus, values));
}
