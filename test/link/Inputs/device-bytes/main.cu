#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
constexpr int kThreads = 64;
__global__ void pairs(unsigned *out, const float *in) {
  int i = threadIdx.x;
  __half low = __float2half_rn(in[i]), high = __float2half_rn(in[i] + 1);
  __half2 pair = make_half2(low, high), twice = make_half2(low, low);
  __half2 sum = __hadd2(pair, twice);
  out[2 * i] = *reinterpret_cast<unsigned *>(&pair);
  out[2 * i + 1] = *reinterpret_cast<unsigned *>(&sum);
}
__global__ void loop(__half *out, const float *in, int n, float factor) {
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    out[i * kThreads + threadIdx.x] =
        __hmul(__float2half_rn(factor), __ushort_as_half(0x3c00 + i));
}
__global__ void branches(__half *out, const float *in, int n) {
  int i = threadIdx.x;
  float value = in[i];
  if (i < n)
    out[i] = __float2half_rn(value);
  else
    out[i + kThreads] = __float2half_rn(value);
}
template <typename T> static const char *compare(const T *a, const T *b, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i] != b[i])
      return "different";
  return "same";
}
static unsigned short bits(float x) {
  __half h = __float2half_rn(x);
  return *reinterpret_cast<unsigned short *>(&h);
}
int main() {
  constexpr int kRounds = 7, kCount = kThreads * kRounds;
  float in[kThreads];
  for (int i = 0; i < kThreads; ++i)
    in[i] = i * 0.37f - 9;
  float *device;
  unsigned *out;
  cudaMalloc(&device, sizeof in);
  cudaMalloc(&out, kCount * sizeof *out);
  cudaMemset(out, 0, kCount * sizeof *out);
  cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice);
  unsigned found[2 * kThreads], wanted[2 * kThreads];
  pairs<<<1, kThreads>>>(out, device);
  cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i) {
    __half low = __float2half_rn(in[i]), high = __float2half_rn(in[i] + 1);
    __half2 pair(low, high), sum(__hadd(low, low), __hadd(high, low));
    memcpy(&wanted[2 * i], &pair, sizeof pair);
    memcpy(&wanted[2 * i + 1], &sum, sizeof sum);
  }
  printf("pairs: %s\n", compare(found, wanted, 2 * kThreads));
  unsigned short halves[kCount], expected[kCount] = {};
  loop<<<1, kThreads>>>((__half *)out, device, kRounds, 1.5f);
  cudaMemcpy(halves, out, sizeof halves, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kCount; ++i) // 1 and so many steps of 2^-10
    expected[i] = bits(1.5f * (1 + i / kThreads / 1024.0f));
  printf("loop: %s\n", compare(halves, expected, kCount));
  cudaMemset(out, 0, sizeof halves);
  branches<<<1, kThreads>>>((__half *)out, device, kThreads / 2);
  cudaMemcpy(halves, out, 4 * kThreads, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kThreads; ++i) {
    expected[i] = i < kThreads / 2 ? bits(in[i]) : 0;
    expected[i + kThreads] = i < kThreads / 2 ? 0 : bits(in[i]);
  }
  printf("branches: %s\n", compare(halves, expected, 2 * kThreads));
}
