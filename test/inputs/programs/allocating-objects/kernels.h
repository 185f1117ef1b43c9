#pragma once
#include <cstdio>
#define KERNELS(X) X(objects) X(delegating) X(method) X(factory) X(outer) X(second)
#define DECLARE(name) __global__ void name(int *out, const int *in, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
struct Array {
  int *data;
  size_t n;
  explicit Array(size_t n);
  Array(size_t n, int value);
  ~Array();
};
struct Base {
  int *data = nullptr;
  NOINLINE Base() { cudaMalloc(&data, 256); }
  NOINLINE ~Base() { cudaFree(data); }
};
struct Derived : Base {
  int *more = nullptr;
  NOINLINE Derived() { cudaMalloc(&more, 256); }
  NOINLINE ~Derived() { cudaFree(more); }
};
int *allocate(size_t n);
int *allocateZeroed(size_t n);
