// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>

/// Sum, or largest value, of \p count numbers in device memory.
float sum(const float *values, size_t count);
float largest(const float *values, size_t count);

#ifdef __CUDACC__
__global__ void sumBlocks(const float *in, float *out, size_t count);
__global__ void largestBlocks(const float *in, float *out, size_t count);
#endif
