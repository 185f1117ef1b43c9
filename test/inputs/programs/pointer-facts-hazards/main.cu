#include "kernels.h"
static __attribute__((noinline)) void give(float **p) { CHECK(cudaMalloc(p, 64)); }
int main(int argc, char **argv) {
  float *a, *b, *c, ones[64];
  CHECK(cudaMalloc(&a, 256));
  CHECK(cudaMalloc((void **)&b, 256));
  CHECK(cudaMallocManaged(&c, 256));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemsetAsync(b, 0, 256, stream));
  CHECK(cudaStreamSynchronize(stream));
  auto start = [](float *p) { float one = 1; CHECK(cudaMemcpy(p, &one, 4, cudaMemcpyHostToDevice)); };
  start(a);
  same<<<1, 1>>>(a, a);
  show("same", a, 4);
  start(a + 16);
  within<<<1, 1>>>(a + 16, a + argc * 16);
  show("within", a + 16, 4);
  sometimes<<<1, 1>>>(b, a);
  start(b);
  sometimes<<<1, 1>>>(b, b);
  show("sometimes", b, 4);
  start(a);
  for (int i = 0; i < argc + 2; ++i) {
    swapped<<<1, 1>>>(b, a);
    float *old = a;
    a = b;
    b = old;
  }
  show("swapped", a, 1);
  float *choice = argc > 5 ? b : a;
  start(a);
  chosen<<<1, 1>>>(a, choice);
  show("chosen", a, 4);
  float *given, *other;
  give(&given);
  CHECK(cudaMalloc(&other, 64));
  start(given);
  CHECK(cudaMemcpyToSymbol(hiddenPointer, &given, sizeof(given)));
  hidden<<<1, 1>>>(other, given);
  show("hidden", other + 1, 1);
  float *d;
  CHECK(cudaMalloc(&d, 64));
  start(d);
  table<<<1, 1>>>(d, Table{{other, d}});
  show("table", d + 1, 1);
}
