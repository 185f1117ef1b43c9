#include <cstdio>
__global__ void setOne(float *, const float *, int);
__global__ void setTwo(float *, const float *, int);
__global__ void askedOne(int *, int);
__global__ void askedTwo(int *, int);
static void (*const toSet[2])(float *, const float *, int) = {setOne, setTwo};
static void (*const toAsk[2])(int *, int) = {askedOne, askedTwo};
int main() {
  float *data, host[64];
  cudaMalloc(&data, 4096);
  cudaMemset(data, 0, 4096);
  volatile int two = 2, size = 64;
  for (int i = 0; i < two; ++i) {
    cudaFuncSetAttribute(toSet[i], cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    toSet[i]<<<1, 1, 90000>>>(data, data + 512, size);
    printf("set %d, ", cudaGetLastError());
    cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[63]);
  }
  for (int i = 0; i < two; ++i) {
    toAsk[i]<<<1, 128>>>((int *)data, i);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, toAsk[i]);
    int blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, toAsk[i], 512, 0);
    printf("asked %d threads, %d blocks\n", attributes.maxThreadsPerBlock, blocks);
  }
}
