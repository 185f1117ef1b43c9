#include "kernels.h"
NOINLINE Array::Array(size_t n) : n(n) {
  if (cudaMalloc(&data, n * sizeof(int)) != cudaSuccess)
    throw 1;
}
NOINLINE Array::~Array() { cudaFree(data); }
NOINLINE int *allocate(size_t n) {
  int *p = nullptr;
  cudaMalloc(&p, n * sizeof(int));
  return p;
}
NOINLINE int *allocateZeroed(size_t n) {
  int *p = allocate(n);
  cudaMemset(p, 0, n * sizeof(int));
  return p;
}
NOINLINE int *allocateDeep(size_t n) {
  int *p = allocateZeroed(n);
  cudaMemset(p, 0, n * sizeof(int));
  return p;
}
