#include "sum.h"
#define TILE                                                                   \
  __shared__ float tile[8][32];                                                \
  for (int i = 0; i < 32; ++i)                                                 \
    tile[threadIdx.x][i] = in[i] > 0;
__global__ void viaShared(float *o, const float *in) {
  TILE
  o[threadIdx.x] = sum(tile[threadIdx.x], 32);
}
__global__ void viaGlobal(float *o, const float *in) { o[threadIdx.x] = sum(in + threadIdx.x * 32, 32); }
__global__ void viaLocal(float *o, const float *in) {
  float l[64];
  for (int i = 0; i < 64; ++i)
    l[i] = in[i & 31] > 0;
  o[threadIdx.x] = sum(l + (threadIdx.x & 7), 32);
}
__global__ void viaCopy(float *o) {
  const float l[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  o[threadIdx.x] = sum(l, 8);
}
__global__ void viaParams(float *o, Params p) { o[threadIdx.x] = sum(p.in + threadIdx.x * 32, p.n); }
__global__ void viaResult(float *o, const float *in) {
  TILE
  o[threadIdx.x] = sum(row(tile[0], threadIdx.x), 32);
}
__global__ void viaEither(float *o, const float *in, int n) {
  TILE
  const float *p = n > 1 ? in : tile[0];
  o[threadIdx.x] = either(p + 32 * threadIdx.x, 32);
}
__global__ void viaMixed(float *o, const float *in, int n) {
  TILE
  const float *p = tile[threadIdx.x];
  float s = 0;
  for (int i = 0; i < n; ++i) {
    s += mixed(p, 32);
    p = in + 32 * i;
  }
  o[threadIdx.x] = s;
}
// What the callee stores behind the pointer must be seen.
__global__ void NoReads(float *o, float *in) {
  float before = in[threadIdx.x];
  put(in + threadIdx.x, before + 5);
  o[threadIdx.x] = in[threadIdx.x] - before;
}
// Nor is what another callee stores there by a pointer that one has kept.
__global__ void NoKept(float *o, float *in) {
  keep(in + blockIdx.x);
  float before = in[blockIdx.x];
  putKept(before + 9);
  o[blockIdx.x] = in[blockIdx.x] - before;
}
int main() {
  float *in, *o, ones[256];
  for (int i = 0; i < 256; ++i)
    ones[i] = i % 32;
  CHECK(cudaMalloc(&in, sizeof(ones)));
  CHECK(cudaMalloc(&o, sizeof(ones)));
  CHECK(cudaMemcpy(in, ones, sizeof(ones), cudaMemcpyHostToDevice));
  viaShared<<<1, 8>>>(o, in);
  show("shared", o, 8);
  viaGlobal<<<1, 8>>>(o, in);
  show("global", o, 8);
  viaLocal<<<1, 8>>>(o, in);
  show("local", o, 1);
  viaCopy<<<1, 8>>>(o);
  show("copy", o, 8);
  viaParams<<<1, 8>>>(o, Params{in, 32});
  show("params", o, 8);
  viaResult<<<1, 8>>>(o, in);
  show("result", o, 8);
  viaEither<<<1, 8>>>(o, in, 1);
  show("either", o, 8);
  viaMixed<<<1, 8>>>(o, in, 2);
  show("mixed", o, 8);
  NoReads<<<1, 8>>>(o, in);
  show("reads", o, 8);
  NoKept<<<1, 1>>>(o, in);
  show("kept", o, 1);
}
