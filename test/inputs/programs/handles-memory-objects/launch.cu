#include "all.h"
void Runner::run(float *p, int n) const { kernel<<<1, block>>>(p, n); }
void launchBig(const Big &op, float *p, int n) { op.kernel<<<1, op.block, op.shared>>>(p, n); }
void launchSecond(const Two &two, float *p, int n) { launchBig(two.second, p, n); }
