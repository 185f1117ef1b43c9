// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs share: error checks, reproducible input, checksums.
#ifndef BENCH_IPA_COMMON_H
#define BENCH_IPA_COMMON_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status = (call);                                               \
    if (status != cudaSuccess) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                       \
              cudaGetErrorString(status));                                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

inline int divideUp(int a, int b) { return (a + b - 1) / b; }

/// Numbers in [0, 1), the same for every compiler.
class Random {
public:
  explicit Random(uint32_t seed) : state(seed * 2654435761u + 1) {}
  uint32_t bits() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
  }
  float uniform() { return static_cast<float>(bits() >> 8) / (1 << 24); }

private:
  uint32_t state;
};

inline std::vector<float> randomFloats(size_t count, uint32_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = random.uniform();
  return values;
}

/// An array in device memory.
template <class T> class DeviceArray {
public:
  explicit DeviceArray(size_t count) : count(count) {
    CHECK(cudaMalloc(&pointer, count * sizeof(T)));
    CHECK(cudaMemset(pointer, 0, count * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T> &values)
      : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(pointer, values.data(), count * sizeof(T),
                     cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(pointer); }
  T *get() const { return pointer; }
  std::vector<T> read() const {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), pointer, count * sizeof(T),
                     cudaMemcpyDeviceToHost));
    return values;
  }

private:
  T *pointer = nullptr;
  size_t count;
};

template <class T>
void printChecksum(const char *name, const std::vector<T> &values) {
  double sum = 0, weighted = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum += static_cast<double>(values[i]);
    weighted += static_cast<double>(values[i]) * static_cast<double>(i % 17);
  }
  printf("%s %.5e %.5e\n", name, sum, weighted);
}

#endif
