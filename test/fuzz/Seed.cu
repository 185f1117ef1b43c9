//===- Seed.cu - What the seeds of the fuzzers are made of ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Small, with something of every kind that a summary or a job describes.
//
//===----------------------------------------------------------------------===//

#include <cstdio>

struct Params {
  const float *in;
  float *out;
  int n;
};

__constant__ float scale = 2;
__device__ int calls;

__device__ __noinline__ float apply(float x, int kind) {
  return kind ? x * scale : x + 1;
}

template <int Kind> __global__ void map(Params p) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.n)
    return;
  tile[threadIdx.x] = p.in[i];
  p.out[i] = apply(tile[threadIdx.x], Kind);
  atomicAdd(&calls, 1);
}

struct Base {
  virtual int twice(int x) { return 2 * x; }
};
struct Derived : Base {
  int twice(int x) override { return x + x; }
};

static thread_local int threads;
extern "C" __attribute__((weak)) int overridden(int x) { return x; }
#ifndef __CUDA_ARCH__ // the host's, says clang of every alias, and looks for it
extern "C" int another(int x) __attribute__((alias("overridden")));
#else
extern "C" int another(int x);
#endif
__attribute__((constructor)) static void start() { ++threads; }

__attribute__((noinline)) static void run(Params p, int block) {
  map<0><<<4, block>>>(p);
  map<1><<<(p.n + block - 1) / block, block, 64>>>(p);
}

int main(int argc, char **) {
  Params p = {nullptr, nullptr, 512};
  cudaMalloc(&p.in, 512 * sizeof(float));
  cudaMalloc(&p.out, 512 * sizeof(float));
  cudaMemcpyToSymbol(scale, &argc, sizeof(int));
  const int one = 1;
  cudaMemcpyToSymbol(scale, &one, sizeof(int));
  run(p, 128);
  Base *base = argc > 1 ? new Base : new Derived;
  std::printf("%d\n", base->twice(another(argc)) + threads);
}
