#pragma once
// An array in local memory for a length that is not known, in registers else.
static __device__ __forceinline__ float shuffle(const float *in, int n) {
  float a[48], s = 0;
#pragma unroll
  for (int i = 0; i < n; ++i)
    a[i] = in[i * 32 + threadIdx.x % 32];
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int i = 0; i < n; ++i)
      a[i] = a[i] * a[(i * 7 + 3) % n] + a[(i * 5 + 1) % n];
#pragma unroll
  for (int i = 0; i < n; ++i)
    s += a[i];
  return s;
}
