// Launches, copies, device and constant variables, device printf.
// EXPECT: sum 4950 last 198
// EXPECT: counter 100
// EXPECT: scaled 1.5 3.0 4.5 6.0
// EXPECT: hello from block 0
// EXPECT: hello from block 1
// EXPECT: no error
#include <cstdio>
#include <cuda_runtime.h>

__device__ int counter;
__constant__ float factors[4];

__global__ void twice(const int *in, int *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  out[i] = 2 * in[i];
  atomicAdd(&counter, 1);
}

__global__ void scale(float *values) { values[threadIdx.x] *= factors[threadIdx.x]; }

__global__ void hello() { printf("hello from block %d\n", blockIdx.x); }

int main() {
  constexpr int kCount = 100;
  int host[kCount], *in, *out;
  for (int i = 0; i < kCount; ++i)
    host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  twice<<<(kCount + 31) / 32, 32>>>(in, out, kCount);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int i = 0; i < kCount; ++i)
    sum += host[i] / 2;
  printf("sum %d last %d\n", sum, host[kCount - 1]);

  int counted = 0;
  cudaMemcpyFromSymbol(&counted, counter, sizeof(counted));
  printf("counter %d\n", counted);

  float values[4] = {1, 2, 3, 4}, byHost[4] = {1.5f, 1.5f, 1.5f, 1.5f};
  float *device;
  cudaMemcpyToSymbol(factors, byHost, sizeof(byHost));
  cudaMalloc(&device, sizeof(values));
  cudaMemcpy(device, values, sizeof(values), cudaMemcpyHostToDevice);
  scale<<<1, 4>>>(device);
  cudaMemcpy(values, device, sizeof(values), cudaMemcpyDeviceToHost);
  printf("scaled %.1f %.1f %.1f %.1f\n", values[0], values[1], values[2],
         values[3]);

  hello<<<2, 1>>>();
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
