#pragma once
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cstdio>
// Runs must show: what a constructor stores, and that a destructor prints.
struct Counted {
  int value;
  __device__ Counted() : value(7) { printf("constructed\n"); }
  __device__ ~Counted() { printf("destroyed\n"); }
};
struct Constant {
  int value = 9;
};
struct Holder {
  cuda::barrier<cuda::thread_scope_block> ready;
  Counted parts[2];
  int sums[32];
};
template <class T> __device__ T &kept() {
  __shared__ T element;
  return element;
}
__global__ void pipes(const int *in, int *out);
