#include "kernels.h"
__global__ void rows(Params p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k)
    p.out[4 * i + k] = p.in[4 * i + k] * p.w[k] + p.w[0];
}
__global__ void nested(Nested s) {
  for (int k = 0; k < s.n; ++k)
    s.inner.a[0][k] = s.inner.a[1][0] + s.inner.a[2][k];
}
__global__ void two(Out o, In i) {
  for (int k = 0; k < 4; ++k)
    o.p[k] = i.p[0] + i.p[k];
}
__global__ void mixed(float *out, In i, int n) {
  for (int k = 0; k < n; ++k)
    out[k] = i.p[0] + i.p[k];
}
static __device__ __noinline__ void store(float *p, int i, float v) { p[i] = v; }
static __device__ __noinline__ float load(const float *p, int i) { return p[i]; }
__global__ void helper(Params p) {
  for (int k = 0; k < p.n; ++k)
    store(p.out, k, load(p.in, 0) + load(p.w + 1, k));
}
// Known here only when the files are linked.
__global__ void inlined(Params p) {
  for (int k = 0; k < 4; ++k)
    p.out[k] = sumOf(p.in, k);
}
