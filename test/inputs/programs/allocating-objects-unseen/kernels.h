#pragma once
#include <cstdio>
#define KERNELS(X) \
  X(NoNative) X(NoRecursion) X(NoDeep)
#define DECLARE(name) __global__ void name(int *out, const int *in, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
struct Array {
  int *data;
  size_t n;
  explicit Array(size_t n);
  ~Array();
};
int *allocate(size_t n);
int *allocateZeroed(size_t n);
int *allocateDeep(size_t n);
void nativeFill(Array *a, int *with);
