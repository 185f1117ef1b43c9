// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum, and the bits that any or all elements have.
#ifndef GPULTO_BENCH_ICF_REDUCE_H
#define GPULTO_BENCH_ICF_REDUCE_H

#include "../common.h"

#include <cub/device/device_reduce.cuh>

struct AnyBit {
  template <class T> __host__ __device__ T operator()(T a, T b) const {
    return a | b;
  }
};
struct AllBits {
  template <class T> __host__ __device__ T operator()(T a, T b) const {
    return a & b;
  }
};

template <class T> void reduceAll(int count) {
  Array<T> values(someValues<T>(count)), results(3);
  size_t bytes = 0, anyBytes = 0, allBytes = 0;
  T *to = results.data();
  check(cub::DeviceReduce::Sum(nullptr, bytes, values.data(), to, count));
  check(cub::DeviceReduce::Reduce(nullptr, anyBytes, values.data(), to, count,
                                  AnyBit(), T(0)));
  check(cub::DeviceReduce::Reduce(nullptr, allBytes, values.data(), to, count,
                                  AllBits(), T(-1)));
  Array<char> space(bytes + anyBytes + allBytes);
  check(cub::DeviceReduce::Sum(space.data(), bytes, values.data(), to, count));
  check(cub::DeviceReduce::Reduce(space.data(), anyBytes, values.data(), to + 1,
                                  count, AnyBit(), T(0)));
  check(cub::DeviceReduce::Reduce(space.data(), allBytes, values.data(), to + 2,
                                  count, AllBits(), T(-1)));
  print("sum and bits", results.read());
}

#endif
