#include "all.h"
#define DEFINE(name, value) __global__ void name(float *p, int n) { *p = value + n; }
NAMES(DEFINE)
void launch(const Op &op, float *p, int n) { op.kernel<<<1, op.block>>>(p, n); }
void fill(Op *op, Kernel k) {
  op->kernel = k;
  op->block = 1;
}
void refill(Op *op, Kernel k) { op->kernel = k; }
Op &refer(Op &op) { return op; }
void list(std::vector<Op> &ops) { ops.push_back({1, "listed", listed}); }
void map(std::map<int, Op> &ops) { ops[1] = {1, "mapped", mapped}; }
