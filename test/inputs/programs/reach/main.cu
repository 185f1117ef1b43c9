#include "parts.h"
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#define KERNEL(name)                                                           \
  __global__ void name(int *out, int n) { *out = n; }
KERNEL(near)
KERNEL(behind)
KERNEL(farther)
KERNEL(indexed)
KERNEL(itself)
KERNEL(saved)
KERNEL(member)
static int *out;
static void show(const char *name) {
  int host;
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s %d\n", name, host);
}
// Members that are set before others are made.
struct Solver {
  std::vector<double> a, b, c, d, e, f, g, h, i, j, k, l;
  int limit;
  __attribute__((noinline)) void allocate(int n) {
    a.resize(n), b.resize(n), c.resize(n), d.resize(n), e.resize(n);
    f.resize(n), g.resize(n), h.resize(n), i.resize(n), j.resize(n);
    k.resize(n), l.resize(n);
  }
  __attribute__((noinline)) Solver(int n) : limit(41) {
    allocate(n);
    a[0] = n;
  }
};
int main(int argc, char **argv) {
  cudaMalloc(&out, 64);
  Object object = {{0, 0, 0, 0}, {5, 6}};
  head(object.head);
  near<<<1, 1>>>(out, object.tail[0]);
  show("near");
  passOn(object.head);
  behind<<<1, 1>>>(out, object.tail[1]);
  show("behind");
  reachFarther(object.head);
  farther<<<1, 1>>>(out, object.tail[0]);
  show("farther");
  Object second = {{0, 0, 0, 0}, {5, 6}};
  index(second.head, argc + 3);
  indexed<<<1, 1>>>(out, second.tail[0]);
  show("indexed");
  Object third = {{0, 0, 0, 0}, {4, 6}};
  callItself(third.head, argc + 3);
  itself<<<1, 1>>>(out, third.tail[0]);
  show("itself");
  Object fourth = {{0, 0, 0, 0}, {5, 6}};
  save(fourth.head);
  changeSaved();
  saved<<<1, 1>>>(out, fourth.tail[0]);
  show("saved");
  Solver solver(argc);
  member<<<1, 1>>>(out, solver.limit);
  show("member");
}
