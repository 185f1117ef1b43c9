// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Counts values of [low, high) in \p bins bins of equal width.
void histogram(const float *values, int count, float low, float high, int bins,
               unsigned *counts);

#ifdef __CUDACC__
__global__ void countBins(const float *values, int count, float low, float high,
                          int bins, unsigned *counts);
#endif
