#include "model.h"
#define NOINLINE __attribute__((noinline))
NOINLINE void fill(Model *m, int n) {
  m->n = n;
  m->rate = 1.0f / n;
  m->depth = static_cast<long long>(3 * (speed / frequency) / 100);
  m->step = 0.1 * n;
}
NOINLINE void coefficients(float dx, float *c) {
  float square = dx * dx;
  c[0] = -205.f / 72.f / square;
  c[1] = 8.f / 5.f / square;
}
NOINLINE float slow(int n) { return tiny / (n * 1e9f); }
