#include "kernels.h"
// Each step must see what the one before stored.
#define CHAIN(name)                                                            \
  __global__ void name(Params p) {                                             \
    for (int k = 1; k < 4; ++k)                                                \
      p.out[k] = 2 * p.in[k - 1];                                              \
  }
CHAIN(same)
CHAIN(within)
CHAIN(sometimes)
CHAIN(unknown)
CHAIN(copied)
CHAIN(stored)
__global__ void otherMember(Two t, const float *in) {
  t.p[0][0] = in[0];
  t.p[1][0] = 2;
  t.p[0][1] = in[0];
}
