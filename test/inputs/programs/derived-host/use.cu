#include "kernels.h"
void layer(float *acts, const float *weights, int i) { layers<<<1, 1>>>(acts + 64 * i, weights + 16 * i, 3 + 10 * i); }
void unaligned(float *acts, const float *weights, int i) { shifted<<<1, 1>>>(acts + i, weights, 4 + i); }
void same(float *acts, int i, int j) { NoSame<<<1, 1>>>(acts + 64 * i, acts + 64 * j, 4); }
void either(float *a, float *b, int i) { NoEither<<<1, 1>>>((i > 5 ? b : a) + 64 * i, a + 64, 4); }
static __attribute__((noinline)) void useOne(float *out, const Params *p) { NoElement<<<1, 1>>>(out, out, p->n); }
void element(float *out, const Params *p, int i) { useOne(out, p + i); }
static __attribute__((noinline)) void replace(Params *p) { p->n = 9; }
void change(Params *p, int i) { replace(p + i); }
static __attribute__((noinline)) void set(Params *p, int n) { p->n = n; }
void write(Params *p, int i, int n) {
  for (Params *at = p; i >= 0; --i, ++at)
    set(at, n);
}
