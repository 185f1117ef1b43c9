#include "all.h"
#define DEFINE(name, value) __global__ void name(float *p, int n) { *p = value + n; }
NAMES(DEFINE)
void launch(const Op &op, float *p, int n) { op.kernel<<<1, op.block>>>(p, n); }
static const Op *last;
void keep(const Op &op) { last = &op; }
const Op *lastKept() { return last; }
unsigned long sum(const Op &op) {
  unsigned long bits;
  memcpy(&bits, &op.kernel, 8);
  return bits;
}
void unite(Box &box) {
  box.word.kernel = united;
  box.block = 1;
  box.more = 3;
}
static Op *where;
void store(Op *op, Kernel k) {
  where = op;
  where->kernel = k;
}
