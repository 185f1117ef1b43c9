// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram.h"
#include "../common.h"

void histogram(const float *values, int count, float low, float high, int bins,
               unsigned *counts) {
  CHECK(cudaMemset(counts, 0, bins * sizeof(unsigned)));
  size_t shared = bins * sizeof(unsigned);
  CHECK(cudaFuncSetAttribute(
      countBins, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)));
  countBins<<<64, 256, shared>>>(values, count, low, high, bins, counts);
  CHECK(cudaGetLastError());
}
