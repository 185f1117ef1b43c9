#include "kernels.h"
int main(int argc, char **argv) {
  Params p;
  float host[16];
  for (int i = 0; i < 16; ++i) host[i] = i + 1;
  CHECK(cudaMalloc(&p.out, 64));
  float *in, *w;
  CHECK(cudaMalloc(&in, 64));
  CHECK(cudaMalloc(&w, 64));
  CHECK(cudaMemcpy(in, host, 64, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(w, host, 64, cudaMemcpyHostToDevice));
  p.in = in; p.w = w; p.n = 4 + argc - 1;
  rows<<<1, 4>>>(p);
  show("rows", p.out, 16);
  Nested s;
  CHECK(cudaMalloc(&s.inner.a[0], 64));
  s.inner.a[1] = in; s.inner.a[2] = w; s.n = 4 + argc - 1;
  nested<<<1, 1>>>(s);
  show("nested", s.inner.a[0], 4);
  two<<<1, 1>>>(Out{s.inner.a[0]}, In{in});
  show("two", s.inner.a[0], 4);
  mixed<<<1, 1>>>(s.inner.a[0], In{w}, argc + 3);
  show("mixed", s.inner.a[0], 4);
  helper<<<1, 1>>>(p);
  show("helper", p.out, 4);
  inlined<<<1, 1>>>(p);
  show("inlined", p.out, 4);
}
