// CUB and Thrust of the toolkit: sort, scan, reduce by key.
// ONLY: nvcc clang
// LABEL: slow
// BUILD: -std=c++17 -w
// EXPECT: scan ok
// EXPECT: sort ok
// EXPECT: reduce by key ok
// EXPECT: thrust ok
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <vector>

constexpr int kCount = 20000;

template <typename T> T *upload(const std::vector<T> &host) {
  T *device;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T),
             cudaMemcpyHostToDevice);
  return device;
}

template <typename T> std::vector<T> download(const T *device, size_t count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}

// Calls a CUB algorithm twice, as it wants it: for the size, then for the work.
template <typename Call> void withStorage(Call call) {
  void *storage = nullptr;
  size_t bytes = 0;
  call(storage, bytes);
  cudaMalloc(&storage, bytes);
  call(storage, bytes);
  cudaFree(storage);
}

static void say(const char *what, bool ok) {
  printf("%s %s\n", what, ok ? "ok" : "wrong");
}

int main() {
  std::vector<int> values(kCount);
  unsigned state = 1;
  for (int &value : values)
    value = (state = state * 1664525u + 1013904223u) >> 20;
  int *in = upload(values), *out = upload(values);

  withStorage([&](void *storage, size_t &bytes) {
    cub::DeviceScan::InclusiveSum(storage, bytes, in, out, kCount);
  });
  std::vector<int> expected(kCount);
  std::partial_sum(values.begin(), values.end(), expected.begin());
  say("scan", download(out, kCount) == expected);

  withStorage([&](void *storage, size_t &bytes) {
    cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, kCount);
  });
  expected = values;
  std::sort(expected.begin(), expected.end());
  say("sort", download(out, kCount) == expected);

  int *keys = upload(values), *sums = upload(values), *runs = upload(values);
  withStorage([&](void *storage, size_t &bytes) {
    cub::DeviceReduce::ReduceByKey(storage, bytes, out, keys, in, sums, runs,
                                   cuda::std::plus<>{}, kCount);
  });
  std::vector<int> wantKeys, wantSums;
  for (int i = 0; i < kCount; ++i) {
    if (wantKeys.empty() || wantKeys.back() != expected[i]) {
      wantKeys.push_back(expected[i]);
      wantSums.push_back(0);
    }
    wantSums.back() += values[i];
  }
  size_t count = download(runs, 1)[0];
  say("reduce by key", count == wantKeys.size() &&
                           download(keys, count) == wantKeys &&
                           download(sums, count) == wantSums);

  thrust::device_vector<int> vector(values.begin(), values.end());
  thrust::sort(vector.begin(), vector.end());
  std::vector<int> sorted(kCount);
  thrust::copy(vector.begin(), vector.end(), sorted.begin());
  say("thrust", sorted == expected);
}
