#include "run.h"
#include <cstdio>
struct Pair {
  int a;
  long b;
};
__device__ long out[2];
__global__ void chosen(int value) { out[0] = value; }
__global__ void other(int value) { out[0] = -value; }
__global__ void chosenPair(Pair pair) { out[0] = pair.a, out[1] = pair.b; }
__global__ void otherPair(Pair pair) { out[0] = -pair.a; }
__global__ void passed(int value) { out[0] = value + 1000; }
__global__ void listed(int value) { out[0] = value + 2000; }
__global__ void listedToo(int value) { out[0] = -value; }
__global__ void pointed(const int *p) { out[0] = p == nullptr; }
__global__ void pointedToo(const int *p) { out[0] = 2; }
__global__ void neither(int value) { out[0] = -value; }
__global__ void viaRuntime(int value) { out[0] = value + 3000; }
__global__ void looped(int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i)
    sum = sum * 3 + out[i & 1] + n;
  out[0] = n < 50 ? n : 100 + n % 100;
  if (sum == 12345678)
    out[1] = sum;
}
static const Kernel table[] = {listedToo, listed};
static long result(int i = 0) {
  long values[2];
  cudaMemcpyFromSymbol(values, out, sizeof(values));
  return values[i];
}
static void show(const char *what) { printf("%s %ld\n", what, result()); }
int main(int argc, char **) {
  bool is = argc > 1;
  (is ? chosen : other)<<<1, 1>>>(argc + 15);
  show("choice");
  chosen<<<1, 1>>>(5);
  show("choice");

  Pair pair = {argc + 22, argc + 14l};
  (is ? chosenPair : otherPair)<<<1, 1>>>(pair);
  printf("struct %ld %ld\n", result(), result(1));
  chosenPair<<<1, 1>>>(Pair{32, 4});
  printf("struct %ld %ld\n", result(), result(1));

  run(passed, argc + 17);
  show("run");
  passed<<<1, 1>>>(6);
  show("run");

  table[argc - 1]<<<1, 1>>>(argc + 18);
  show("table");
  listed<<<1, 1>>>(7);
  show("table");

  int *p;
  cudaMalloc(&p, 4);
  (is ? pointed : pointedToo)<<<1, 1>>>(is ? nullptr : p);
  show("null");
  pointed<<<1, 1>>>(p);
  show("null");

  // Clones for what run passes, and what the launch here does.
  run(looped, 108);
  long first = result();
  run(looped, 3);
  long second = result();
  looped<<<1, 1>>>(5);
  printf("cloned %ld %ld %ld\n", first, second, result());

  // The runtime gets the handle and does not call the stub.
  int value = argc + 28;
  void *arguments[] = {&value};
  cudaLaunchKernel((const void *)(is ? viaRuntime : neither), 1, 1, arguments, 0, nullptr);
  show("runtime");
  viaRuntime<<<1, 1>>>(9);
  show("runtime");
}
