// A cooperative launch with barriers across the grid, and one that is too big.
// EXPECT: fits
// EXPECT: sum 8128 after 3 rounds
// EXPECT: too many blocks in cooperative launch
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int kBlocks = 8, kThreads = 16, kRounds = 3;

__global__ void reduce(const int *in, int *partial, int *out) {
  auto grid = cooperative_groups::this_grid();
  for (int round = 0; round < kRounds; ++round) {
    if (threadIdx.x == 0) {
      partial[blockIdx.x] = 0;
      for (int i = 0; i < kThreads; ++i)
        partial[blockIdx.x] += in[blockIdx.x * kThreads + i];
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
      int sum = 0;
      for (int i = 0; i < kBlocks; ++i)
        sum += partial[i];
      out[0] = sum;
      out[1] = round + 1;
    }
    grid.sync();
  }
}

int main() {
  int host[kBlocks * kThreads], *in, *partial, *out, blocks = 0;
  for (int i = 0; i < kBlocks * kThreads; ++i)
    host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&partial, kBlocks * sizeof(int));
  cudaMalloc(&out, 2 * sizeof(int));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reduce, kThreads, 0);
  puts(blocks > 0 ? "fits" : "does not fit");
  void *args[] = {&in, &partial, &out};
  cudaLaunchCooperativeKernel(reduce, dim3(kBlocks), dim3(kThreads), args);
  cudaMemcpy(host, out, 2 * sizeof(int), cudaMemcpyDeviceToHost);
  printf("sum %d after %d rounds\n", host[0], host[1]);
  puts(cudaGetErrorString(cudaLaunchCooperativeKernel(
      reduce, dim3(1 << 20), dim3(kThreads), args)));
}
