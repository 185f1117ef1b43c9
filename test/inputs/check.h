// CHECK(call) ends the program where CUDA fails, and says why; show() prints numbers
// of device memory. Tests copy this file: cp %inputs/check.h .
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = call;                                                 \
    if (status != cudaSuccess) {                                               \
      printf("%s: %s\n", #call, cudaGetErrorString(status));                   \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
inline void showOne(int number) { printf(" %d", number); }
inline void showOne(float number) { printf(" %g", number); }
template <typename T> void show(const char *what, const T *device, int n) {
  T host[64];
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost));
  printf("%s", what);
  for (int i = 0; i < n; ++i)
    showOne(host[i]);
  printf("\n");
}
inline int *allocate(int n) {
  int *p;
  CHECK(cudaMalloc(&p, n * sizeof(int)));
  CHECK(cudaMemset(p, 0, n * sizeof(int)));
  return p;
}
