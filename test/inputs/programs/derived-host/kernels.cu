#include "kernels.h"
// Each step must see what the one before stored.
#define DEFINE(name)                                                           \
  __global__ void name(float *out, const float *in, int n) {                   \
    if (n > 4) {                                                               \
      out[0] = n;                                                              \
      return;                                                                  \
    }                                                                          \
    for (int k = 1; k < n; ++k)                                                \
      out[k] = 2 * in[k - 1];                                                  \
  }
KERNELS(DEFINE)
