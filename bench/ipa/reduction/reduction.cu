// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduction.h"
#include "../common.h"

#include <algorithm>

constexpr unsigned kBlock = 256;
constexpr unsigned kMaxBlocks = 128;

using Kernel = void (*)(const float *, float *, size_t);

static float reduce(Kernel kernel, const float *values, size_t count) {
  unsigned blocks = static_cast<unsigned>(
      std::min<size_t>(kMaxBlocks, (count + kBlock - 1) / kBlock));
  DeviceArray<float> partial(blocks), result(1);
  kernel<<<blocks, kBlock, kBlock * sizeof(float)>>>(values, partial.get(),
                                                     count);
  CHECK(cudaGetLastError());
  kernel<<<1, kBlock, kBlock * sizeof(float)>>>(partial.get(), result.get(),
                                                blocks);
  CHECK(cudaGetLastError());
  return result.read()[0];
}

float sum(const float *values, size_t count) {
  return reduce(sumBlocks, values, count);
}

float largest(const float *values, size_t count) {
  return reduce(largestBlocks, values, count);
}
