// What the programs of this directory share.
//
// CASE(name, copies, rest) is a function that executes so many copies and fills, none of
// which may go: what stands in HAZARD makes all of them needed. Built with -DMAY_GO, the
// hazard is left out, and no more than `rest` have to be executed. Without a `rest` nothing
// is asked of that build. copies.py compares the numbers with what was executed.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define CASE(name, ...) __attribute__((noinline)) void name()
#define NOINLINE __attribute__((noinline))
/// At the end of a function, so that the log sees it as a caller.
#define NO_TAIL_CALL asm volatile("")
#ifdef MAY_GO
#define HAZARD(...)
#define OTHERWISE(...) __VA_ARGS__
#else
#define HAZARD(...) __VA_ARGS__
#define OTHERWISE(...)
#endif

constexpr int n = 64, size = n * sizeof(int);
int one; // 1 when the program runs

__global__ void add(int *to, const int *from) { to[threadIdx.x] += from[threadIdx.x]; }
__global__ void set(int *to, int value) { to[threadIdx.x] = value; }
__global__ void increase(int *to) { to[threadIdx.x] += 1; }

inline void fill(int *to, int first) {
  for (int i = 0; i < n; ++i) to[i] = first + i;
}
NOINLINE void print(const char *name, const int *h) {
  printf("%s: %d %d %d %d\n", name, h[0], h[1], h[n / 4], h[n - 1]);
}
/// One copy.
NOINLINE void show(const char *name, const int *d) {
  int h[n] = {};
  cudaMemcpy(h, d, size, cudaMemcpyDeviceToHost);
  print(name, h);
}

#define HOST(h, first) int *h = (int *)malloc(size); fill(h, first)
#define DEVICE(d) int *d; cudaMalloc(&d, size)
/// One fill.
#define ZEROS(d) DEVICE(d); cudaMemset(d, 0, size)
#define COPY_IN(d, h) cudaMemcpy(d, h, size, cudaMemcpyHostToDevice)
#define COPY_OUT(h, d) cudaMemcpy(h, d, size, cudaMemcpyDeviceToHost)
/// Copies 1, 2, 3, ... to d and uses it: two of a case's four.
#define FIRST HOST(h, 1); DEVICE(d); ZEROS(e); COPY_IN(d, h); add<<<1, n>>>(e, d)
/// Copies again and shows the sum of both uses: the other two.
#define AGAIN COPY_IN(d, h); add<<<1, n>>>(e, d); show(__func__, e); \
  free(h); cudaFree(d); cudaFree(e)
