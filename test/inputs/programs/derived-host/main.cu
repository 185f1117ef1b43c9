#include "kernels.h"
static __attribute__((noinline)) void launchChanged(float *out, const Params &p) { NoChanged<<<1, 1>>>(out, out, p.n); }
static __attribute__((noinline)) void launchWritten(float *out, const Params &p) { NoWritten<<<1, 1>>>(out, out, p.n); }
int main(int argc, char **argv) {
  float *a, *b, *w;
  CHECK(cudaMalloc(&a, 4096));
  CHECK(cudaMalloc(&b, 4096));
  CHECK(cudaMalloc(&w, 4096));
  CHECK(cudaMemset(w, 0, 4096));
  auto start = [](float *p) { float one = 1; CHECK(cudaMemcpy(p, &one, 4, cudaMemcpyHostToDevice)); };
  layer(b, w, 0);
  layer(b, w, argc - 1);
  start(w + 1);
  layer(b, w, argc - 1);
  start(w);
  layer(b, w, 0);
  float three = 3;
  CHECK(cudaMemcpy(b, &three, 4, cudaMemcpyHostToDevice));
  show("layers", b, 1);
  unaligned(b, w, argc);
  unaligned(b, w, argc + 2);
  float four = 4;
  CHECK(cudaMemcpy(b, &four, 4, cudaMemcpyHostToDevice));
  show("shifted", b, 1);
  start(a + 64);
  same(a, argc, argc);
  show("NoSame", a + 64, 4);
  start(a + 64);
  either(a, b, argc);
  show("NoEither", a + 64, 4);
  Params all[2] = {{5, 6}, {7, 8}};
  element(b, all, argc);
  show("NoElement", b, 1);
  Params changed[2] = {{6, 6}, {7, 8}};
  change(changed, argc - 1);
  launchChanged(b, changed[0]);
  show("NoChanged", b, 1);
  Params written[2] = {{6, 6}, {7, 8}};
  write(written, argc - 1, 11);
  launchWritten(b, written[0]);
  show("NoWritten", b, 1);
}
