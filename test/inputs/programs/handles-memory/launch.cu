#include "all.h"
void launch(const Op &op, float *p, int n) { op.kernel<<<1, op.block>>>(p, n); }
void launchValue(Op op, float *p, int n) { op.kernel<<<1, op.block>>>(p, n); }
void launchBig(const Big &op, float *p, int n) { op.kernel<<<1, op.block, op.shared>>>(p, n); }
void launchBigValue(Big op, float *p, int n) { op.kernel<<<1, op.block, op.shared>>>(p, n); }
void launchPair(const std::pair<Kernel, int> &op, float *p, int n) { op.first<<<1, op.second>>>(p, n); }
void launchTuple(const std::tuple<Kernel, int> &op, float *p, int n) { std::get<0>(op)<<<1, std::get<1>(op)>>>(p, n); }
