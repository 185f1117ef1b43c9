#include "kernels.h"
static void start(float *p) {
  float one = 1;
  CHECK(cudaMemset(p, 0, 64));
  CHECK(cudaMemcpy(p, &one, 4, cudaMemcpyHostToDevice));
}
int main(int argc, char **argv) {
  float *a, *b;
  CHECK(cudaMalloc(&a, 128));
  CHECK(cudaMalloc(&b, 128));
  start(a); start(b);
  start(a); start(b);
  chosen<<<1, 1>>>(Two{{a, b}}, argc - 1);
  show("chosen", b, 1);
  start(a);
  changed<<<1, 1>>>(Params{b, a}, a, argc + 1);
  show("changed", a, 4);
  start(a);
  CHECK(cudaMemcpyToSymbol(hidden, &a, sizeof a));
  throughHidden<<<1, 1>>>(Params{b, a});
  show("throughHidden", b, 1);
  start(a);
  WithUnion u;
  u.e.out = b;
  u.e.in = a;
  u.in = a;
  united<<<1, 1>>>(u);
  show("united", a, 2);
  start(a);
  byHelper<<<1, 1>>>(Params{a, a}, argc + 3);
  show("byHelper", a, 4);
  start(a);
  kept<<<1, 1>>>(Params{b, a});
  show("kept", b, 1);
  start(a);
  between<<<1, 1>>>(Params{a, b}, Params{b, a});
  show("between", a, 4);
}
