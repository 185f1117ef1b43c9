// Errors that are no faults: reported by the call, cleared by asking.
// EXPECT: configuration invalid configuration argument
// EXPECT: shared invalid argument
// EXPECT: opt-in no error
// EXPECT: too much invalid argument
// EXPECT: cleared no error
// EXPECT: free invalid argument
// EXPECT: bounds invalid argument
// EXPECT: host as device invalid argument
// EXPECT: name cudaErrorInvalidDeviceFunction
// EXPECT: device invalid device ordinal
// EXPECT: symbol invalid device symbol
// EXPECT: kept by a reset invalid argument
#include <cstdio>
#include <cuda_runtime.h>

__global__ void idle() {}

static const char *text(cudaError_t error) { return cudaGetErrorString(error); }

int main() {
  idle<<<1, 2048>>>();
  printf("configuration %s\n", text(cudaGetLastError()));
  idle<<<1, 32, 100 * 1024>>>();
  printf("shared %s\n", text(cudaGetLastError()));
  cudaFuncSetAttribute(idle, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       100 * 1024);
  idle<<<1, 32, 100 * 1024>>>();
  printf("opt-in %s\n", text(cudaGetLastError()));
  printf("too much %s\n",
         text(cudaFuncSetAttribute(
             idle, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 * 1024)));
  cudaGetLastError();
  printf("cleared %s\n", text(cudaGetLastError()));
  int onHost[4], *p;
  printf("free %s\n", text(cudaFree(onHost)));
  cudaMalloc(&p, 64);
  printf("bounds %s\n", text(cudaMemset(p, 0, 1 << 20)));
  printf("host as device %s\n",
         text(cudaMemcpy(onHost, onHost + 1, 4, cudaMemcpyDeviceToHost)));
  cudaFuncAttributes attributes;
  printf("name %s\n", cudaGetErrorName(cudaFuncGetAttributes(
                          &attributes, (const void *)&onHost)));
  printf("device %s\n", text(cudaSetDevice(1)));
  printf("symbol %s\n", text(cudaMemcpyToSymbol(onHost, &p, 4)));
  cudaMemset(p, 0, 1 << 20);
  cudaDeviceReset();
  printf("kept by a reset %s\n", text(cudaGetLastError()));
}
