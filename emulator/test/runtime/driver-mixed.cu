// Both APIs in one program: one device, one memory, one set of streams, and
// kernels and errors of either seen by the other.
// BUILD: -lcuda
// ONLY: nvcc clang nvcc-rdc
// EXPECT: the runtime's context is current 1, primary 1
// EXPECT: driver's kernel in the runtime's memory 5 6
// EXPECT: runtime's kernel in the driver's memory 100 101
// EXPECT: runtime's kernel by the driver 200 201
// EXPECT: free 1, same device 1
// EXPECT: last error no error
// EXPECT: entry point 1, called 2
// EXPECT: both see the fault 700 700
// EXPECT: reset 0 0
#include "driver-common.h"

#include <cuda_runtime.h>

__global__ void set(int *p, int base) { p[threadIdx.x] = base + threadIdx.x; }

static int *fromRuntime;
static CUdeviceptr fromDriver;

static void launchEachInTheOthersMemory() {
  int host[2];
  CHECK(cudaMalloc(&fromRuntime, 4096));
  CUcontext current = nullptr, primary = nullptr;
  CHECK(cuCtxGetCurrent(&current));
  CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
  printf("the runtime's context is current %d, primary %d\n",
         current != nullptr, current == primary);

  CUmodule module;
  CUfunction fill = loadFill(module);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  unsigned base = 5;
  void *params[] = {&fromRuntime, &base};
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 2, 1, 1, 0, stream, params, nullptr));
  CHECK(cudaMemcpy(host, fromRuntime, sizeof(host), cudaMemcpyDeviceToHost));
  printf("driver's kernel in the runtime's memory %d %d\n", host[0], host[1]);

  CHECK(cuMemAlloc(&fromDriver, 4096));
  set<<<1, 2>>>((int *)fromDriver, 100);
  CHECK(cuMemcpyDtoH(host, fromDriver, sizeof(host)));
  printf("runtime's kernel in the driver's memory %d %d\n", host[0], host[1]);

  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, (const void *)set));
  base = 200;
  CHECK(
      cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, nullptr, params, nullptr));
  CHECK(cuMemcpyDtoH(host, (CUdeviceptr)fromRuntime, sizeof(host)));
  printf("runtime's kernel by the driver %d %d\n", host[0], host[1]);
}

int main() {
  launchEachInTheOthersMemory();
  size_t free1, free2, total;
  CHECK(cudaMemGetInfo(&free1, &total));
  CHECK(cudaFree((void *)fromDriver));
  CHECK(cuMemGetInfo(&free2, &total));
  CUdevice device = -1;
  CHECK(cuCtxGetDevice(&device));
  printf("free %d, same device %d\n", free2 == free1 + 4096, device == 0);

  // What a function of the driver fails with is not the runtime's last error.
  (void)cuMemFree(12345);
  printf("last error %s\n", cudaGetErrorString(cudaGetLastError()));
  void *address = nullptr;
  cudaDriverEntryPointQueryResult status;
#if CUDART_VERSION >= 13000
  CHECK(cudaGetDriverEntryPointByVersion("cuCtxGetDevice", &address, 12000,
                                         cudaEnableDefault, &status));
#else
  CHECK(cudaGetDriverEntryPoint("cuCtxGetDevice", &address, cudaEnableDefault,
                                &status));
#endif
  printf("entry point %d", status == cudaDriverEntryPointSuccess);
  device = 2;
  CUdevice before = device;
  CHECK(((CUresult (*)(CUdevice *))address)(&device));
  printf(", called %d\n", before - device);

  set<<<1, 2>>>(nullptr, 0);
  int runtime = cudaDeviceSynchronize(), driver = cuCtxSynchronize();
  printf("both see the fault %d %d\n", runtime, driver);
  CHECK(cuDevicePrimaryCtxReset(0));
  runtime = cudaMalloc(&fromRuntime, 16);
  driver = cuMemAlloc(&fromDriver, 16);
  printf("reset %d %d\n", runtime, driver);
}
