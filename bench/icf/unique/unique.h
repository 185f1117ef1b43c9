// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that differ from the one before, and those that are not 0.
#ifndef GPULTO_BENCH_ICF_UNIQUE_H
#define GPULTO_BENCH_ICF_UNIQUE_H

#include "../common.h"

#include <cub/device/device_select.cuh>

struct IsOdd {
  template <class T> __host__ __device__ bool operator()(T x) const {
    return x & 1;
  }
};

template <class T> void uniqueAll(int count) {
  Array<T> values(someValues<T>(count)), chosen(someValues<T>(count));
  Array<int> number(1);
  size_t bytes = 0, ifBytes = 0;
  check(cub::DeviceSelect::Unique(nullptr, bytes, values.data(), chosen.data(),
                                  number.data(), count));
  check(cub::DeviceSelect::If(nullptr, ifBytes, values.data(), chosen.data(),
                              number.data(), count, IsOdd()));
  Array<char> space(bytes > ifBytes ? bytes : ifBytes);
  check(cub::DeviceSelect::Unique(space.data(), bytes, values.data(),
                                  chosen.data(), number.data(), count));
  print("number of unique", number.read());
  print("unique", chosen.read());
  check(cub::DeviceSelect::If(space.data(), ifBytes, values.data(),
                              chosen.data(), number.data(), count, IsOdd()));
  print("number of odd", number.read());
  print("odd", chosen.read());
}

#endif
