// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two blocks hand values to each other, by the compiler's atomic operations: a
// block that sees the flag sees what was written before it.
#include "../expect.h"

constexpr int kRounds = 1000, kWords = 32;

/// Waits until *flag is \p value, in one of three ways.
__device__ __noinline__ void await(unsigned *flag, unsigned value, int way) {
  if (way == 0)
    while (__atomic_fetch_add(flag, 0u, __ATOMIC_ACQUIRE) != value)
      ;
  else if (way == 1)
    while (__atomic_fetch_or(flag, 0u, __ATOMIC_SEQ_CST) != value)
      ;
  else
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value)
      ;
}

__device__ __noinline__ void post(unsigned *flag, unsigned value, int way) {
  if (way == 0)
    __atomic_exchange_n(flag, value, __ATOMIC_ACQ_REL);
  else if (way == 1)
    __atomic_fetch_add(flag, 1u, __ATOMIC_RELEASE);
  else
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

/// The blocks take turns; each adds its turn to what it finds. The first write
/// has a cache of one block hold the data while the other writes them.
__global__ void takeTurns(unsigned *data, unsigned *flag, int way) {
  for (unsigned turn = blockIdx.x; turn < kRounds; turn += 2) {
    await(flag, turn, way);
    for (int i = 0; i < kWords; ++i)
      data[i] = data[i] * 3 + turn + i;
    post(flag, turn + 1, way);
  }
}

int main() {
  Expectations expect;
  std::vector<unsigned> expected(kWords);
  for (unsigned turn = 0; turn < kRounds; ++turn)
    for (int i = 0; i < kWords; ++i)
      expected[i] = expected[i] * 3 + turn + i;
  const char *names[] = {"exchange and add", "add and or", "store and load"};
  for (int way = 0; way < 3; ++way) {
    DeviceArray<unsigned> data(kWords), flag(1);
    takeTurns<<<2, 1>>>(data.get(), flag.get(), way);
    CHECK(cudaGetLastError());
    expect.equal(names[way], data.read(), expected);
  }
  return expect.finish();
}
