#include "kernels.h"
// Stores, then loads: one load must see the other store where both are the same.
#define DEFINE(name) __global__ void name(int *out, const int *in, int n) { \
    int before = in[0]; out[0] = n; out[1] = before + in[0]; out[0] = n + 1; }
KERNELS(DEFINE)
