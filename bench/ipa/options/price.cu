// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "options.h"

float price(const Option &option, int paths, int steps, uint32_t seed) {
  constexpr int kBlock = 128;
  DeviceArray<float> results(paths);
  simulate<<<divideUp(paths, kBlock), kBlock>>>(option, paths, steps, seed,
                                                true, results.get());
  CHECK(cudaGetLastError());
  double sum = 0;
  for (float result : results.read())
    sum += result;
  return static_cast<float>(sum / paths);
}
