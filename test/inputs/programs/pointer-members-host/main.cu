#include "kernels.h"
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
    local<<<1, 1>>>(p); show("local", p.a, 4);
    launchByValue(p); show("byValue", p.a, 4);
    launchByReference(p); show("byReference", p.a, 4); }
  { Params p = make(n);
    start(p.b);
    returned<<<1, 1>>>(p); show("returned", p.a, 4); }
}
