// Eight-bit floats of cuda_fp8.h: the device, which has instructions for them,
// against the header's own arithmetic on the host.
// EXPECT: 6144 values, 0 differ, no error
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

constexpr int kInputs = 384, kResults = 16;

template <class T> __host__ __device__ unsigned bits(T value) {
  unsigned u = 0;
  memcpy(&u, &value, sizeof(value));
  return u;
}

__host__ __device__ void convert(int i, float x, unsigned *p) {
  int n = 0;
  for (__nv_saturation_t sat : {__NV_SATFINITE, __NV_NOSAT})
    for (__nv_fp8_interpretation_t kind : {__NV_E4M3, __NV_E5M2}) {
      p[n++] = __nv_cvt_float_to_fp8(x, sat, kind);
      __half_raw h = __float2half(x);
      p[n++] = __nv_cvt_halfraw_to_fp8(h, sat, kind);
      __half2_raw pair;
      pair.x = h.x;
      pair.y = static_cast<unsigned short>(h.x ^ 0x8001);
      p[n++] = __nv_cvt_halfraw2_to_fp8x2(pair, sat, kind) << 16 |
               __nv_cvt_float2_to_fp8x2(make_float2(x, -3 * x), sat, kind);
    }
  unsigned short two = static_cast<unsigned short>(i * 257 + (i << 9));
  __half2_raw a = __nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3);
  __half2_raw b = __nv_cvt_fp8x2_to_halfraw2(two, __NV_E5M2);
  p[n++] = bits(a);
  p[n++] = bits(b);
  p[n++] = bits(static_cast<float>(__nv_fp8_e4m3(x)));
  float4 four = static_cast<float4>(__nv_fp8x4_e5m2(make_float4(x, 2, -x, 3)));
  p[n++] = bits(four.x + four.z) + bits(four.z);
}

__global__ void onDevice(const float *in, unsigned *out) {
  convert(threadIdx.x, in[threadIdx.x], out + threadIdx.x * kResults);
}

int main() {
  static float in[kInputs] = {
      0,        -0.f,      1,         448,       449,        464,      465,
      480,      57344,     61440,     61441,     65536,      1e30f,    -1e30f,
      INFINITY, -INFINITY, NAN,       0x1p-9f,   0x1p-10f,   0x1p-11f, 0x1p-16f,
      0x1p-17f, 0x1p-18f,  0x1.8p-9f, 0x1.8p-8f, 0x1.8p-17f, 1.0625f,  1.1875f};
  for (int i = 28; i < kInputs; ++i) {
    unsigned u = i * 2654435761u;
    u = (u & 0x807fffff) | (105 + i % 45) << 23;
    memcpy(&in[i], &u, sizeof(u));
  }
  static unsigned got[kInputs * kResults], want[kInputs * kResults];
  float *p;
  unsigned *q;
  cudaMalloc(&p, sizeof(in));
  cudaMalloc(&q, sizeof(got));
  cudaMemcpy(p, in, sizeof(in), cudaMemcpyHostToDevice);
  onDevice<<<1, kInputs>>>(p, q);
  cudaMemcpy(got, q, sizeof(got), cudaMemcpyDeviceToHost);
  int differ = 0;
  for (int i = 0; i < kInputs; ++i)
    convert(i, in[i], want + i * kResults);
  for (int i = 0; i < kInputs * kResults; ++i)
    if (got[i] != want[i] && differ++ < 10)
      printf("%a, result %d: %x on the device, %x on the host\n",
             in[i / kResults], i % kResults, got[i], want[i]);
  printf("%d values, %d differ, %s\n", kInputs * kResults, differ,
         cudaGetErrorString(cudaGetLastError()));
}
