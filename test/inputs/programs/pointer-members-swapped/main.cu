#include "kernels.h"
#include <utility>
static Params rewiredParams;
static void start(float *p) {
  float h[16]; for (int i = 0; i < 16; ++i) h[i] = i + 1;
  CHECK(cudaMemcpy(p, h, 64, cudaMemcpyHostToDevice));
}
int main(int argc, char **argv) {
  int n = argc + 3;
  { Params p;
    CHECK(cudaMalloc(&p.a, 64));
    CHECK(cudaMalloc(&p.b, 64));
    p.n = n;
    start(p.b);
    for (int i = 0; i < argc + 2; ++i) { swapped<<<1, 1>>>(p); std::swap(p.a, p.b); }
    show("swapped", p.b, 4); }
  { float *a, *b;
    CHECK(cudaMalloc(&a, 64));
    CHECK(cudaMalloc(&b, 64));
    start(b);
    for (int i = 0; i < argc + 2; ++i) { swappedLocal<<<1, 1>>>(Params{a, b, n}); std::swap(a, b); }
    show("swappedLocal", b, 4); }
  // What is stored there first does not matter.
  { CHECK(cudaMalloc(&rewiredParams.a, 64));
    CHECK(cudaMalloc(&rewiredParams.b, 64));
    cudaFree(rewiredParams.a);
    rewiredParams.a = rewiredParams.b;
    rewiredParams.n = n;
    start(rewiredParams.b);
    rewired<<<1, 1>>>(rewiredParams); show("rewired", rewiredParams.a, 4); }
  { Params p;
    CHECK(cudaMallocHost(&p.a, 64));
    CHECK(cudaHostAlloc(&p.b, 64, cudaHostAllocDefault));
    p.n = n;
    start(p.b);
    pinned<<<1, 1>>>(p); show("pinned", p.a, 4); }
}
