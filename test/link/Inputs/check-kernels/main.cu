#include <cstdio>
#include <cuda_runtime.h>
// An array in local memory for a length that is not known, in registers else.
__device__ __forceinline__ float shuffle(const float *in, int n) {
  float a[48], s = 0;
#pragma unroll
  for (int i = 0; i < n; ++i)
    a[i] = in[i * 256 + threadIdx.x];
  for (int k = 0; k < 3; ++k)
#pragma unroll
    for (int i = 0; i < n; ++i)
      a[i] = a[n - 1 - i] * 0.5f + a[i] * 0.25f, s += a[i];
  return s;
}
#ifdef COUNT
static __device__ int counter;
__device__ void count() { atomicAdd(&counter, 1); }
__global__ void read(float *out) { out[0] = counter; }
#else
__device__ void count() {}
#endif
__global__ void worse(float *out, const float *in, int n) { count(); out[threadIdx.x] = shuffle(in, n); }
__global__ void better(float *out, const float *in, int n) {
  count();
  float s = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    s += in[i];
  out[threadIdx.x] = s;
}
__device__ __noinline__ float helper(const float *in, int n) { return shuffle(in, n); }
__global__ void narrow(float *out, const float *in, int n) { out[threadIdx.x] = helper(in, n); }
// Its shared memory leaves room for 4 blocks, however many registers it takes.
__global__ void wide(float *out, const float *in, int n) {
  __shared__ float tile[12 * 1024];
  for (int i = threadIdx.x; i < 12 * 1024; i += 64)
    tile[i] = in[i];
  __syncthreads();
  out[threadIdx.x] = helper(in, n) + tile[int(in[0])];
}
int main() {
  static float init[48 * 256];
  for (int i = 0; i < 48 * 256; ++i)
    init[i] = i % 7 * 0.125f;
  float *in, *out, host[4];
  cudaMalloc(&in, sizeof(init));
  cudaMalloc(&out, 1024);
  cudaMemcpy(in, init, sizeof(init), cudaMemcpyHostToDevice);
  auto show = [&] {
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);
  };
  worse<<<1, 256>>>(out, in, 48);
  show();
  better<<<1, 256>>>(out, in, 48);
  show();
  narrow<<<1, 256>>>(out, in, 48);
  show();
  wide<<<1, 64>>>(out, in, 48);
  show();
#ifdef COUNT
  read<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("counted %g\n", host[0]);
#endif
}
