// --deferred where the default stream is one of each thread: streams of two
// threads do not order each other, the legacy stream orders both.
// RUN-OPTIONS: --deferred
// ONLY: nvcc
// BUILD: -default-stream=per-thread -lcuda
// EXPECT: own stream 1, the other's 0
// EXPECT: copies wait 2
// EXPECT: legacy 12
// EXPECT: driver 3
// EXPECT: captured 0, then 4
// EXPECT: threads wrong 0
#include <atomic>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

__global__ void append(int *p, int digit) { *p = *p * 10 + digit; }
__global__ void set(int *p, int value) { *p = value; }

static void manyThreads() {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      int *p, host = -1;
      cudaMallocAsync(&p, sizeof(int), cudaStreamPerThread);
      for (int round = 0; round < 50; ++round) {
        set<<<1, 1>>>(p, id * 100 + round);
        cudaMemcpyAsync(&host, p, sizeof(int), cudaMemcpyDeviceToHost);
        cudaLaunchHostFunc(
            cudaStreamPerThread,
            [](void *data) { ++*static_cast<int *>(data); }, &host);
        cudaStreamSynchronize(cudaStreamPerThread);
        wrong += host != id * 100 + round + 1;
      }
      cudaFreeAsync(p, cudaStreamPerThread);
    });
  for (std::thread &thread : threads)
    thread.join();
  printf("threads wrong %d\n", wrong.load());
}

int main() {
  int *words, *device, host = 0;
  cudaMallocHost(&words, 2 * sizeof(int));
  cudaMalloc(&device, sizeof(int));
  words[0] = words[1] = 0;
  std::thread([&] { append<<<1, 1>>>(&words[1], 1); }).join();
  append<<<1, 1>>>(&words[0], 1);
  cudaStreamSynchronize(nullptr);
  printf("own stream %d, the other's %d\n", words[0], words[1]);
  set<<<1, 1>>>(device, 2);
  cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost);
  printf("copies wait %d\n", host);
  append<<<1, 1, 0, cudaStreamLegacy>>>(&words[1], 2);
  cudaStreamSynchronize(cudaStreamLegacy);
  printf("legacy %d\n", words[1]);
  set<<<1, 1>>>(device, 3);
  cuMemcpyDtoH(&host, reinterpret_cast<CUdeviceptr>(device), sizeof(int));
  printf("driver %d\n", host);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  words[0] = 0;
  cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
  append<<<1, 1>>>(&words[0], 4);
  cudaStreamEndCapture(nullptr, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  int before = words[0];
  cudaGraphLaunch(executable, nullptr);
  cudaStreamSynchronize(nullptr);
  printf("captured %d, then %d\n", before, words[0]);
  manyThreads();
}
