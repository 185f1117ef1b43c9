// Barriers of libcu++ (mbarrier objects), asynchronous copies, pipelines,
// groups of threads and semaphores. clang refuses such barriers in shared
// memory.
// ONLY: nvcc nvcc-rdc
// BUILD: -std=c++17 -w
// EXPECT: arrive: right, no error
// EXPECT: copy: right, no error
// EXPECT: pipeline: right, no error
// EXPECT: groups: right, no error
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kThreads = 256, kBlocks = 4, kSize = kThreads * kBlocks;

__global__ void arriveAndWait(const int *in, int *out) {
  __shared__ Barrier bar;
  __shared__ int s[kThreads];
  int i = blockIdx.x * kThreads + threadIdx.x, sum = 0;
  if (threadIdx.x == 0)
    init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    s[threadIdx.x] = in[i] + round;
    auto token = bar.arrive();
    bar.wait(std::move(token));
    sum += s[kThreads - 1 - threadIdx.x];
    bar.arrive_and_wait();
  }
  out[i] = sum;
}

__global__ void copyAsync(const int *in, int *out) {
  __shared__ Barrier bar;
  __shared__ alignas(16) int s[kThreads], t[kThreads];
  auto block = cg::this_thread_block();
  int i = blockIdx.x * kThreads + threadIdx.x;
  if (threadIdx.x == 0)
    init(&bar, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, s, in + blockIdx.x * kThreads,
                     cuda::aligned_size_t<16>(sizeof(s)), bar);
  cg::memcpy_async(block, t, in + blockIdx.x * kThreads, sizeof(t));
  bar.arrive_and_wait();
  cg::wait(block);
  out[i] = s[kThreads - 1 - threadIdx.x] + 3 * t[threadIdx.x];
}

__global__ void pipeline(const int *in, int *out) {
  constexpr int kStages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> sh;
  __shared__ alignas(16) int s[kStages][kThreads];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &sh);
  int sum = 0;
  for (int batch = 0, fetched = 0; batch < kBlocks; ++batch) {
    for (; fetched < kBlocks && fetched < batch + kStages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[fetched % kStages], in + fetched * kThreads,
                         cuda::aligned_size_t<16>(sizeof(s[0])), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[batch % kStages][kThreads - 1 - threadIdx.x];
    pipe.consumer_release();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> semaphore(1);
__device__ int inside;

__global__ void groups(const int *in, int *out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int i = blockIdx.x * kThreads + threadIdx.x;
  int v = cg::reduce(tile, in[i], cg::plus<int>());
  v += 5 * cg::inclusive_scan(tile, in[i]);
  if (threadIdx.x % 3 == 0) {
    auto active = cg::coalesced_threads();
    v += 100 * cg::reduce(active, 1, cg::plus<int>());
  }
  auto same = cg::labeled_partition(cg::coalesced_threads(), threadIdx.x % 5);
  v += 10000 * same.size();
  semaphore.acquire();
  int before = inside;
  inside = before + 1;
  __threadfence();
  inside = before;
  out[i] = v + before;
  semaphore.release();
}

static int count(int thread, int step) { // Of its kind in the thread's warp.
  int n = 0;
  for (int t = thread & ~31; t <= (thread | 31); ++t)
    n += t % step == thread % step;
  return n;
}

template <class Kernel, class Expected>
void run(const char *name, Kernel kernel, Expected expected) {
  static int in[kSize], out[kSize];
  int *p, *q, wrong = 0;
  for (int i = 0; i < kSize; ++i)
    in[i] = i * i % 97;
  cudaMalloc(&p, sizeof(in));
  cudaMalloc(&q, sizeof(out));
  cudaMemcpy(p, in, sizeof(in), cudaMemcpyHostToDevice);
  kernel<<<kBlocks, kThreads>>>(p, q);
  cudaMemcpy(out, q, sizeof(out), cudaMemcpyDeviceToHost);
  for (int i = 0; i < kSize; ++i)
    wrong += out[i] != expected(in, i);
  printf("%s: %s, %s\n", name, wrong ? "wrong" : "right",
         cudaGetErrorString(cudaGetLastError()));
}

int main() {
  auto mirrored = [](int i) { return i ^ (kThreads - 1); };
  run("arrive", arriveAndWait,
      [&](int *in, int i) { return 4 * in[mirrored(i)] + 6; });
  run("copy", copyAsync,
      [&](int *in, int i) { return in[mirrored(i)] + 3 * in[i]; });
  run("pipeline", pipeline, [&](int *in, int i) {
    int sum = 0;
    for (int b = 0; b < kBlocks; ++b)
      sum += in[b * kThreads + mirrored(i) % kThreads];
    return sum;
  });
  run("groups", groups, [&](int *in, int i) {
    int sum = 0, first = i & ~15, thread = i % kThreads;
    for (int k = first; k < first + 16; ++k)
      sum += in[k] + (k <= i ? 5 * in[k] : 0);
    if (thread % 3 == 0)
      sum += 100 * count(thread, 3);
    return sum + 10000 * count(thread, 5);
  });
}
