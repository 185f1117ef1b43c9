// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

constexpr int kTile = 16;

/// C = alpha * A * B + beta * C; row-major, with leading dimensions.
__global__ void gemmTiled(int m, int n, int k, float alpha, const float *a,
                          int lda, const float *b, int ldb, float beta,
                          float *c, int ldc);
