#include "kernels.h"
__device__ float *hidden;
// Which pointer it is, nobody knows.
__global__ void chosen(Two t, int which) {
  float before = t.p[0][0];
  t.p[which][0] = before + 1;
  t.p[1][0] = t.p[0][0];
}
// The kernel changes its copy.
__global__ void changed(Params p, float *other, int n) {
  if (n > 1)
    p.out = other;
  for (int k = 1; k < 4; ++k)
    p.out[k] = 2 * p.in[k - 1];
}
__global__ void throughHidden(Params p) {
  float before = p.in[0];
  *hidden = before + 1;
  p.out[0] = p.in[0];
}
__global__ void united(WithUnion u) {
  float before = u.in[0];
  u.e.out[0] = before + 1;
  u.e.out[1] = u.in[0];
}
static __device__ __noinline__ void store(float *p, int i, float v) { p[i] = v; }
__global__ void byHelper(Params p, int n) {
  for (int k = 1; k < n; ++k)
    store(p.out, k, 2 * p.in[k - 1]);
}
__global__ void kept(Params p) {
  hidden = const_cast<float *>(p.in);
  __threadfence();
  float before = p.in[0];
  *hidden = before + 1;
  p.out[0] = p.in[0];
}
__global__ void between(Params p, Params q) {
  for (int k = 1; k < 4; ++k)
    p.out[k] = 2 * q.in[k - 1];
}
