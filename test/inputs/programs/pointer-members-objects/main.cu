#include "kernels.h"
static Params globalParams;
static void start(float *p) {
  float h[16]; for (int i = 0; i < 16; ++i) h[i] = i + 1;
  CHECK(cudaMemcpy(p, h, 64, cudaMemcpyHostToDevice));
}
int main(int argc, char **argv) {
  int n = argc + 3;
  { Solver *s = new Solver(n);
    start(s->b);
    s->run(); show("onHeap", s->a, 4);
    delete s; }
  { Model m(n);
    start(m.b);
    m.run(); show("ofModel", m.a, m.size()); }
  { CHECK(cudaMalloc(&globalParams.a, 64));
    CHECK(cudaMalloc(&globalParams.b, 64));
    globalParams.n = n;
    start(globalParams.b);
    global<<<1, 1>>>(globalParams); show("global", globalParams.a, 4); }
  { Buffers b(n);
    start(b.p.b);
    constructed<<<1, 1>>>(b.p); show("constructed", b.p.a, 4); }
}
