#include "program.h"
#define DEFINE(name)                                                           \
  __global__ void name(int2 d, int *out) { out[0] = d.x, out[1] = d.y; }
KERNELS(DEFINE)
__global__ void bytes(uchar4 d, int *out) {
  out[0] = d.x, out[1] = d.y * 100 + d.z * 10 + d.w;
}
__global__ void wide(Size size, int *out) {
  out[0] = size.bytes, out[1] = size.bytes >> 32;
}
