#pragma once
#include <cstdio>
#define KERNELS(X) \
  X(NoCopy) X(NoStore) X(NoKept) X(NoThrow)
#define DECLARE(name) __global__ void name(int *out, const int *in, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
struct Array {
  int *data;
  size_t n;
  explicit Array(size_t n);
  ~Array();
  void share(const Array &other);
};
int *allocate(size_t n);
void fillOrThrow(Array *a, int argc);
void keep(Array *a);
void changeKept(int *with);
