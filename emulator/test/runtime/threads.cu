// Host threads with a stream each; errors belong to the thread that made them.
// EXPECT: wrong 0
// EXPECT: errors 8 of 8, here no error
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }

int main() {
  std::atomic<int> wrong{0}, errors{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < 8; ++id)
    threads.emplace_back([&, id] {
      cudaStream_t stream;
      cudaStreamCreate(&stream);
      int *p, host[32];
      cudaMallocAsync(&p, sizeof(host), stream);
      for (int round = 0; round < 20; ++round) {
        fill<<<1, 32, 0, stream>>>(p, id * 100 + round);
        cudaMemcpyAsync(host, p, sizeof(host), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        for (int value : host)
          wrong += value != id * 100 + round;
      }
      cudaFree(host);
      errors += cudaGetLastError() == cudaErrorInvalidValue;
      cudaFreeAsync(p, stream);
      cudaStreamDestroy(stream);
    });
  for (std::thread &thread : threads)
    thread.join();
  printf("wrong %d\n", wrong.load());
  printf("errors %d of 8, here %s\n", errors.load(),
         cudaGetErrorString(cudaGetLastError()));
}
