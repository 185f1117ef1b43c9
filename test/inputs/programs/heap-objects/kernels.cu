#include "objects.h"
#define DEFINE(name) __global__ void name(int *out, int n) { *out = n; }
KERNELS(DEFINE)
__global__ void both(int *out, const int *in) {
  int before = *in;
  *out = 7;
  out[1] = before + *in;
}
