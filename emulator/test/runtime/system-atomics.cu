// Atomics of system scope are atomic with those of a thread of the host, on
// managed and on pinned memory.
// EXPECT: lost: managed 0 pinned 0
#include <atomic>
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>

constexpr int kRounds = 200000, kThreads = 32;

__global__ void add(int *p, int *q, int *started) {
  atomicExch_system(started, 1);
  for (int i = 0; i < kRounds; ++i) {
    atomicAdd_system(p, 1);
    int seen = *q, old;
    do {
      old = seen;
      seen = atomicCAS_system(q, old, old + 1);
    } while (seen != old);
  }
}

int main() {
  int *managed, *pinned, *started, ownRounds = 0;
  cudaMallocManaged(&managed, sizeof(int));
  cudaMallocHost(&pinned, sizeof(int));
  cudaMallocHost(&started, sizeof(int));
  *managed = *pinned = *started = 0;
  std::atomic<bool> isDone{false};
  std::thread host([&] {
    while (!__atomic_load_n(started, __ATOMIC_RELAXED))
      ;
    for (; !isDone; ++ownRounds) {
      __atomic_fetch_add(managed, 1, __ATOMIC_RELAXED);
      __atomic_fetch_add(pinned, 1, __ATOMIC_RELAXED);
    }
  });
  add<<<1, kThreads>>>(managed, pinned, started);
  cudaDeviceSynchronize();
  isDone = true;
  host.join();
  int all = kRounds * kThreads + ownRounds;
  printf("lost: managed %d pinned %d\n", all - *managed, all - *pinned);
}
