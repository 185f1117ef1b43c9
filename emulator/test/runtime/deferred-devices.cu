// --deferred with two devices: waits for one run nothing of the other, events
// order both, and synchronous copies between them follow all work of both.
// RUN-OPTIONS: --deferred --devices=2
// ONLY: nvcc clang
// EXPECT: device 1 alone 0 2
// EXPECT: both 1 2
// EXPECT: legacy streams 0 2
// EXPECT: event 12
// EXPECT: peer copy 7 7
// EXPECT: copy from the other device 8
// EXPECT: reset of 1 runs its work: 0 4
// EXPECT: fault of 1: 700, 0 has 0
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int *p, int value) { *p = value; }
__global__ void append(int *p, int digit) { *p = *p * 10 + digit; }

static int *words; // One of each device, pinned.

static void reset() {
  for (int d : {0, 1}) {
    cudaSetDevice(d);
    cudaDeviceSynchronize();
    words[d] = 0;
  }
}

static cudaStream_t streams[2];
static int *on[2];

static void waitForOne() {
  reset();
  for (int d : {0, 1}) {
    cudaSetDevice(d);
    set<<<1, 1, 0, streams[d]>>>(&words[d], d + 1);
  }
  cudaDeviceSynchronize();
  printf("device 1 alone %d %d\n", words[0], words[1]);
  cudaStreamSynchronize(streams[0]);
  printf("both %d %d\n", words[0], words[1]);

  reset();
  for (int d : {0, 1}) {
    cudaSetDevice(d);
    set<<<1, 1>>>(&words[d], d + 1);
  }
  cudaStreamSynchronize(nullptr);
  printf("legacy streams %d %d\n", words[0], words[1]);
}

static void waitForBoth() {
  reset();
  cudaEvent_t event;
  cudaSetDevice(0);
  cudaEventCreate(&event);
  append<<<1, 1, 0, streams[0]>>>(words, 1);
  cudaEventRecord(event, streams[0]);
  cudaSetDevice(1);
  cudaStreamWaitEvent(streams[1], event);
  append<<<1, 1, 0, streams[1]>>>(words, 2);
  cudaStreamSynchronize(streams[1]);
  printf("event %d\n", words[0]);

  reset();
  cudaSetDevice(0);
  set<<<1, 1, 0, streams[0]>>>(on[0], 7);
  cudaSetDevice(1);
  cudaMemcpyPeer(on[1], 1, on[0], 0, sizeof(int));
  int copied, direct;
  cudaMemcpy(&copied, on[1], sizeof(int), cudaMemcpyDefault);
  cudaMemcpy(&direct, on[0], sizeof(int), cudaMemcpyDefault);
  printf("peer copy %d %d\n", copied, direct);
  cudaSetDevice(0);
  set<<<1, 1, 0, streams[0]>>>(on[0], 8);
  cudaSetDevice(1);
  cudaMemcpy(&direct, on[0], sizeof(int), cudaMemcpyDefault);
  printf("copy from the other device %d\n", direct);
}

int main() {
  cudaHostAlloc(&words, 2 * sizeof(int), cudaHostAllocPortable);
  for (int d : {0, 1}) {
    cudaSetDevice(d);
    cudaStreamCreate(&streams[d]);
    cudaMalloc(&on[d], sizeof(int));
  }
  waitForOne();
  waitForBoth();
  reset();
  cudaSetDevice(0);
  set<<<1, 1>>>(&words[0], 3);
  cudaSetDevice(1);
  set<<<1, 1>>>(&words[1], 4);
  cudaDeviceReset();
  printf("reset of 1 runs its work: %d %d\n", words[0], words[1]);

  set<<<1, 1>>>(nullptr, 1);
  int fault = cudaDeviceSynchronize();
  cudaSetDevice(0);
  printf("fault of 1: %d, 0 has %d\n", fault, cudaDeviceSynchronize());
}
