// ONLY: nvcc clang
// ARCH: sm_100a
// RUN-OPTIONS: --arch=100
// What sm_100 adds: floats of four and six bits and scales, against the
// headers' own arithmetic on the host; pairs of f32; vectors of 256 bits.
// EXPECT: device 10.0
// EXPECT: 4608 values, 0 differ
// EXPECT: pairs 5 -3 10 8, smallest -7, vector 3 2 1 0
// EXPECT: no error
#include <cstdio>
#include <cstring>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

constexpr int kInputs = 384, kResults = 12;

template <class T> __host__ __device__ unsigned bits(T value) {
  unsigned u = 0;
  memcpy(&u, &value, sizeof(value));
  return u;
}

__host__ __device__ void convert(int i, float x, unsigned *p) {
  int n = 0;
  float2 pair = make_float2(x, -3 * x);
  p[n++] = __nv_cvt_float_to_fp6(x, __NV_E2M3, cudaRoundNearest);
  p[n++] = __nv_cvt_float_to_fp6(x, __NV_E3M2, cudaRoundNearest);
  p[n++] = __nv_cvt_float2_to_fp6x2(pair, __NV_E2M3, cudaRoundNearest);
  p[n++] = __nv_cvt_float2_to_fp6x2(pair, __NV_E3M2, cudaRoundNearest);
  p[n++] = __nv_cvt_float_to_fp4(x, __NV_E2M1, cudaRoundNearest);
  p[n++] = __nv_cvt_float2_to_fp4x2(pair, __NV_E2M1, cudaRoundNearest);
  p[n++] = __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundZero);
  p[n++] = __nv_cvt_float_to_e8m0(x, __NV_NOSAT, cudaRoundPosInf);
  unsigned short two =
      static_cast<unsigned short>((i & 63) | (i * 37 & 63) << 8);
  p[n++] = bits(__nv_cvt_fp6x2_to_halfraw2(two, __NV_E2M3));
  p[n++] = bits(__nv_cvt_fp6x2_to_halfraw2(two, __NV_E3M2));
  p[n++] = bits(
      __nv_cvt_fp4x2_to_halfraw2(static_cast<unsigned char>(i), __NV_E2M1));
  p[n++] = bits(__nv_cvt_e8m0_to_bf16raw(static_cast<unsigned char>(i)));
}

__global__ void onDevice(const float *in, unsigned *out) {
  convert(threadIdx.x, in[threadIdx.x], out + threadIdx.x * kResults);
}

struct alignas(32) Wide {
  long long v[4];
};

__global__ void others(float *out, Wide *wide) {
  float2 a = make_float2(2, 1), b = make_float2(3, -4), sum, fma;
  asm("{ .reg .b64 a, b, d; mov.b64 a, {%4, %5}; mov.b64 b, {%6, %7};"
      "add.rn.f32x2 d, a, b; mov.b64 {%0, %1}, d;"
      "fma.rn.f32x2 d, a, a, b; fma.rn.f32x2 d, b, b, d; mov.b64 {%2, %3}, d; }"
      : "=f"(sum.x), "=f"(sum.y), "=f"(fma.x), "=f"(fma.y)
      : "f"(a.x), "f"(a.y), "f"(b.x), "f"(b.y));
  out[0] = sum.x;
  out[1] = sum.y;
  out[2] = fma.x - 6;
  out[3] = fma.y - 5;
  asm("redux.sync.min.f32 %0, %1, 0xffffffff;"
      : "=f"(out[4])
      : "f"(float(threadIdx.x % 9) - 7));
  long long v[4];
  asm volatile("ld.global.v4.b64 {%0, %1, %2, %3}, [%4];"
               : "=l"(v[0]), "=l"(v[1]), "=l"(v[2]), "=l"(v[3])
               : "l"(wide));
  asm volatile("st.global.v4.b64 [%0], {%4, %3, %2, %1};" ::"l"(wide + 1),
               "l"(v[0]), "l"(v[1]), "l"(v[2]), "l"(v[3])
               : "memory");
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  printf("device %d.%d\n", device.major, device.minor);
  static float in[kInputs] = {
      0,        -0.f,  1,       6,         7,         7.25f,
      7.75f,    28,    30,      31,        1e30f,     -1e30f,
      INFINITY, NAN,   0.0625f, 0.03125f,  0.09375f,  0.25f,
      0.75f,    1.25f, -2.5f,   0x1p-127f, 0x1p-128f, 0x1.8p127f};
  for (int i = 24; i < kInputs; ++i) {
    unsigned u = i * 2654435761u;
    u = (u & 0x807fffff) | (115 + i % 24) << 23;
    memcpy(&in[i], &u, sizeof(u));
  }
  static unsigned got[kInputs * kResults], want[kResults];
  float *p;
  unsigned *q;
  Wide *wide, v[2] = {{{0, 1, 2, 3}}, {}};
  cudaMalloc(&p, sizeof(in));
  cudaMalloc(&q, sizeof(got));
  cudaMalloc(&wide, sizeof(v));
  cudaMemcpy(p, in, sizeof(in), cudaMemcpyHostToDevice);
  onDevice<<<1, kInputs>>>(p, q);
  cudaMemcpy(got, q, sizeof(got), cudaMemcpyDeviceToHost);
  int differ = 0;
  for (int i = 0; i < kInputs; ++i) {
    convert(i, in[i], want);
    for (int k = 0; k < kResults; ++k)
      if (got[i * kResults + k] != want[k] && differ++ < 10)
        printf("%a, result %d: %x on the device, %x on the host\n", in[i], k,
               got[i * kResults + k], want[k]);
  }
  printf("%d values, %d differ\n", kInputs * kResults, differ);
  cudaMemcpy(wide, v, sizeof(v), cudaMemcpyHostToDevice);
  others<<<1, 32>>>(p, wide);
  cudaMemcpy(in, p, sizeof(in), cudaMemcpyDeviceToHost);
  cudaMemcpy(v, wide, sizeof(v), cudaMemcpyDeviceToHost);
  printf("pairs %g %g %g %g, smallest %g, vector %lld %lld %lld %lld\n", in[0],
         in[1], in[2], in[3], in[4], v[1].v[0], v[1].v[1], v[1].v[2],
         v[1].v[3]);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
