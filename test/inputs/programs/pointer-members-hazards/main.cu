#include "kernels.h"
#include <cstring>
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
  same<<<1, 1>>>(Params{a, a});
  show("same", a, 4);
  start(a + 16);
  within<<<1, 1>>>(Params{a + 16, a + argc * 16});
  show("within", a + 16, 4);
  start(a);
  sometimes<<<1, 1>>>(Params{b, a});
  start(b);
  sometimes<<<1, 1>>>(Params{b, b});
  show("sometimes", b, 4);
  Params p{a, b};
  fill(&p, a);
  start(a);
  unknown<<<1, 1>>>(p);
  show("unknown", a, 4);
  start(a);
  otherMember<<<1, 1>>>(Two{{b, a}}, a);
  show("otherMember", b, 2);
  // Bytes from who knows where.
  Params all[2] = {{b, a}, {a, a}}, one;
  memcpy(&one, &all[argc], sizeof one);
  start(a);
  copied<<<1, 1>>>(one);
  show("copied", a, 4);
  // A store by way of an address that is kept.
  Params s{b, a}, *to = argc > 5 ? &p : &s;
  to->out = a;
  start(a);
  stored<<<1, 1>>>(s);
  show("stored", a, 4);
}
