#include "kernels.h"
NOINLINE Array::Array(size_t n) : n(n) {
  if (cudaMalloc(&data, n * sizeof(int)) != cudaSuccess)
    throw 1;
}
NOINLINE Array::~Array() { cudaFree(data); }
NOINLINE void Array::share(const Array &other) { data = other.data; }
NOINLINE int *allocate(size_t n) {
  int *p = nullptr;
  cudaMalloc(&p, n * sizeof(int));
  return p;
}
static Array *kept;
NOINLINE void keep(Array *a) { kept = a; }
NOINLINE void changeKept(int *with) { kept->data = with; }
NOINLINE void fillOrThrow(Array *a, int argc) {
  if (argc < 3)
    throw argc;
  cudaMalloc(&a->data, 256);
}
