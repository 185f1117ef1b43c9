// --devices: two devices with memory, variables, streams and settings of
// their own in one space of addresses.
// RUN-OPTIONS: --devices=2
// EXPECT: devices 2, current 0 then 1, wrong 101, in another thread 0
// EXPECT: buses 0000:01:00.0 0000:02:00.0, by bus 1
// EXPECT: pointers 0 1
// EXPECT: variables 10 20 constants 3 4
// EXPECT: symbols differ 1
// EXPECT: free memory of 1 unchanged 1
// EXPECT: peer copies 1 2 1 0
// EXPECT: wrong device of a peer copy 1
// EXPECT: stream 1, launch 400, copy 0, fill 0, event 400, wait 0
// EXPECT: attribute 60000 49152
// EXPECT: stack 4096 1024
// EXPECT: after reset of 1: 5 on 0, 1 on 1
#include <cstdio>
#include <cstring>
#include <thread>
#include <cuda_runtime.h>

__device__ int variable = 1;
__constant__ int constant = 2;

__global__ void add(int by) { variable += by; }
__global__ void readConstant(int *p) { *p = constant; }
__global__ void set(int *p, int value) { *p = value; }
extern __shared__ int dynamic[];
__global__ void usesShared(int *p) { *p = dynamic[0]; }

static int variableNow() {
  int value = 0;
  cudaMemcpyFromSymbol(&value, variable, sizeof(int));
  return value;
}

static void queries() {
  int count = 0, before = -1, after = -1, other = -1, byBus = -1;
  cudaGetDeviceCount(&count);
  cudaGetDevice(&before);
  cudaSetDevice(1);
  cudaGetDevice(&after);
  std::thread([&] { cudaGetDevice(&other); }).join();
  int wrong = cudaSetDevice(2);
  cudaGetLastError();
  printf("devices %d, current %d then %d, wrong %d, in another thread %d\n",
         count, before, after, wrong, other);
  char a[16], b[16];
  cudaDeviceGetPCIBusId(a, 16, 0);
  cudaDeviceGetPCIBusId(b, 16, 1);
  cudaDeviceGetByPCIBusId(&byBus, b);
  printf("buses %s %s, by bus %d\n", a, b, byBus);
}

static void variables(int *on[2]) {
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    int value = 3 + d;
    cudaMemcpyToSymbol(constant, &value, sizeof(int));
    add<<<1, 1>>>(9 + 10 * d);
    readConstant<<<1, 1>>>(on[d]);
  }
  int values[2], constants[2];
  void *addresses[2];
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    values[d] = variableNow();
    cudaMemcpy(&constants[d], on[d], sizeof(int), cudaMemcpyDefault);
    cudaGetSymbolAddress(&addresses[d], variable);
  }
  printf("variables %d %d constants %d %d\n", values[0], values[1],
         constants[0], constants[1]);
  printf("symbols differ %d\n", addresses[0] != addresses[1]);
}

static void memory(int *on[2]) {
  size_t before, after, total;
  cudaSetDevice(1);
  cudaMemGetInfo(&before, &total);
  cudaSetDevice(0);
  int *large;
  cudaMalloc(&large, 1 << 20);
  cudaSetDevice(1);
  cudaMemGetInfo(&after, &total);
  printf("free memory of 1 unchanged %d\n", before == after);
  cudaFree(large); // Of the other device.
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    set<<<1, 1>>>(on[d], d + 1);
  }
  int a, b, c;
  cudaMemcpy(&a, on[0], sizeof(int), cudaMemcpyDefault);
  cudaMemcpy(&b, on[1], sizeof(int), cudaMemcpyDefault);
  cudaError_t error = cudaMemcpyPeer(on[1], 1, on[0], 0, sizeof(int));
  cudaMemcpy(&c, on[1], sizeof(int), cudaMemcpyDefault);
  printf("peer copies %d %d %d %d\n", a, b, c, error);
  printf("wrong device of a peer copy %d\n",
         cudaMemcpyPeer(on[1], 0, on[0], 0, sizeof(int)));
  cudaGetLastError();
}

static void streams(int *on[2]) {
  cudaStream_t stream;
  cudaEvent_t event;
  int device = -1;
  cudaSetDevice(1);
  cudaStreamCreate(&stream);
  cudaSetDevice(0);
  cudaEventCreate(&event);
  cudaStreamGetDevice(stream, &device);
  set<<<1, 1, 0, stream>>>(on[0], 7);
  int launched = cudaGetLastError();
  int copied = cudaMemcpyAsync(on[1], on[0], 4, cudaMemcpyDefault, stream);
  int filled = cudaMemsetAsync(on[1], 0, 4, stream);
  int recorded = cudaEventRecord(event, stream);
  cudaGetLastError();
  cudaEventRecord(event);
  int waited = cudaStreamWaitEvent(stream, event);
  printf("stream %d, launch %d, copy %d, fill %d, event %d, wait %d\n", device,
         launched, copied, filled, recorded, waited);
}

static void settings() {
  cudaFuncAttributes attributes[2];
  size_t stack[2];
  cudaSetDevice(0);
  cudaFuncSetAttribute(usesShared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       60000);
  cudaDeviceSetLimit(cudaLimitStackSize, 4096);
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    cudaFuncGetAttributes(&attributes[d], usesShared);
    cudaDeviceGetLimit(&stack[d], cudaLimitStackSize);
  }
  printf("attribute %d %d\n", attributes[0].maxDynamicSharedSizeBytes,
         attributes[1].maxDynamicSharedSizeBytes);
  printf("stack %zu %zu\n", stack[0], stack[1]);
}

int main() {
  queries();
  int *on[2];
  cudaPointerAttributes attributes[2];
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    cudaMalloc(&on[d], sizeof(int));
  }
  for (int d = 0; d < 2; ++d)
    cudaPointerGetAttributes(&attributes[d], on[d]);
  printf("pointers %d %d\n", attributes[0].device, attributes[1].device);
  variables(on);
  memory(on);
  streams(on);
  settings();
  cudaSetDevice(0);
  set<<<1, 1>>>(on[0], 5);
  cudaSetDevice(1);
  cudaDeviceReset();
  int kept = 0;
  cudaMemcpy(&kept, on[0], sizeof(int), cudaMemcpyDefault);
  printf("after reset of 1: %d on 0, %d on 1\n", kept, variableNow());
}
