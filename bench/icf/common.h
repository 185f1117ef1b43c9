// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the programs of bench/icf share: values to work on, and a line of output
// for each instance of a template.
#ifndef GPULTO_BENCH_ICF_COMMON_H
#define GPULTO_BENCH_ICF_COMMON_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Device memory of `count` elements.
template <class T> class Array {
public:
  explicit Array(size_t count) : size(count) {
    check(cudaMalloc(&memory, count * sizeof(T)));
  }
  explicit Array(const std::vector<T> &values) : Array(values.size()) {
    check(cudaMemcpy(memory, values.data(), size * sizeof(T),
                     cudaMemcpyHostToDevice));
  }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { cudaFree(memory); }
  T *data() const { return memory; }
  std::vector<T> read() const {
    std::vector<T> values(size);
    check(cudaMemcpy(values.data(), memory, size * sizeof(T),
                     cudaMemcpyDeviceToHost));
    return values;
  }

private:
  T *memory = nullptr;
  size_t size;
};

/// Values below 100 in no order, the same in every run.
template <class T> std::vector<T> someValues(size_t count) {
  std::vector<T> values(count);
  uint32_t state = 1;
  for (T &value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<T>((state >> 16) % 100);
  }
  return values;
}

/// Prints a sum of `values` that depends on their order.
template <class T> void print(const char *what, const std::vector<T> &values) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i)
    sum += static_cast<double>(values[i]) * static_cast<double>(i % 13 + 1);
  std::printf("%s of %zu bytes: %.9g\n", what, sizeof(T), sum);
}

#endif
