// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sort of keys, and of keys with 32-bit values.
#ifndef GPULTO_BENCH_ICF_SORT_H
#define GPULTO_BENCH_ICF_SORT_H

#include "../common.h"

#include <cub/device/device_radix_sort.cuh>

template <class T> void sortAll(int count) {
  Array<T> keys(someValues<T>(count)), sortedKeys(count);
  Array<uint32_t> items(someValues<uint32_t>(count)), sortedItems(count);
  size_t bytes = 0, pairBytes = 0;
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys.data(),
                                       sortedKeys.data(), count));
  check(cub::DeviceRadixSort::SortPairs(nullptr, pairBytes, keys.data(),
                                        sortedKeys.data(), items.data(),
                                        sortedItems.data(), count));
  Array<char> space(bytes > pairBytes ? bytes : pairBytes);
  check(cub::DeviceRadixSort::SortKeys(space.data(), bytes, keys.data(),
                                       sortedKeys.data(), count));
  print("sorted", sortedKeys.read());
  check(cub::DeviceRadixSort::SortPairs(space.data(), pairBytes, keys.data(),
                                        sortedKeys.data(), items.data(),
                                        sortedItems.data(), count));
  print("sorted with it", sortedItems.read());
}

#endif
