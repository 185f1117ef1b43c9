#include "kernels.h"
// Not the same, so that they do not fold.
#define BODY(name, factor) \
  __global__ void name(Params p) {                                             \
    for (int k = 0; k < p.n; ++k)                                              \
      p.a[k] = p.b[0] + factor * p.b[k];                                       \
  }
BODY(swapped, 7)
BODY(swappedLocal, 8)
BODY(rewired, 11)
BODY(pinned, 12)
