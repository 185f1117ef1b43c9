#include "solver.h"
#define DEFINE(name) __global__ void name(int *out, int n) { *out = n; }
KERNELS(DEFINE)
