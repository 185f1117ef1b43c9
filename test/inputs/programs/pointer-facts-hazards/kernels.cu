#include "kernels.h"
__device__ float *hiddenPointer;
// Each step must see what the one before stored.
#define CHAIN(name)                                                            \
  __global__ void name(float *out, const float *in) {                          \
    for (int k = 1; k < 4; ++k)                                                \
      out[k] = 2 * in[k - 1];                                                  \
  }
CHAIN(same)
CHAIN(within)
CHAIN(sometimes)
CHAIN(chosen)
__global__ void swapped(float *out, const float *in) { out[0] = in[0] + 1; }
__global__ void hidden(float *out, const float *in) {
  float before = in[0];
  hiddenPointer[0] = before + 1;
  out[1] = in[0];
}
__global__ void table(float *out, Table t) {
  float before = out[0];
  t.entries[1][0] = before + 2;
  out[1] = out[0];
}
