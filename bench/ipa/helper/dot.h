// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Sum of a[i * strideA] * b[i * strideB]; in any kind of memory.
__device__ float dot(const float *a, int strideA, const float *b, int strideB,
                     int n);

__global__ void rowNorms(const float *matrix, int rows, int columns,
                         float *norms);
__global__ void project(const float *matrix, int rows, int columns,
                        const float *direction, float *result);
constexpr int kMaxColumns = 256;
