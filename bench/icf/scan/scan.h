// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of all before, with and without the element itself.
#ifndef GPULTO_BENCH_ICF_SCAN_H
#define GPULTO_BENCH_ICF_SCAN_H

#include "../common.h"

#include <cub/device/device_scan.cuh>

template <class T> void scanAll(int count) {
  Array<T> values(someValues<T>(count)), sums(count);
  size_t bytes = 0, otherBytes = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, values.data(),
                                      sums.data(), count));
  check(cub::DeviceScan::InclusiveSum(nullptr, otherBytes, values.data(),
                                      sums.data(), count));
  Array<char> space(bytes > otherBytes ? bytes : otherBytes);
  check(cub::DeviceScan::ExclusiveSum(space.data(), bytes, values.data(),
                                      sums.data(), count));
  print("sums before", sums.read());
  check(cub::DeviceScan::InclusiveSum(space.data(), otherBytes, values.data(),
                                      sums.data(), count));
  print("sums", sums.read());
}

#endif
