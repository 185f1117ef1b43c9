// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.h"

__global__ void gemmTiled(int m, int n, int k, float alpha, const float *a,
                          int lda, const float *b, int ldb, float beta,
                          float *c, int ldc) {
  __shared__ float tileA[kTile][kTile + 1];
  __shared__ float tileB[kTile][kTile + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty;
  int column = blockIdx.x * kTile + tx;
  float sum = 0;
  for (int begin = 0; begin < k; begin += kTile) {
    tileA[ty][tx] =
        row < m && begin + tx < k ? a[row * lda + begin + tx] : 0.0f;
    tileB[ty][tx] =
        begin + ty < k && column < n ? b[(begin + ty) * ldb + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i)
      sum += tileA[ty][i] * tileB[i][tx];
    __syncthreads();
  }
  if (row < m && column < n) {
    float old = beta == 0.0f ? 0.0f : beta * c[row * ldc + column];
    c[row * ldc + column] = alpha * sum + old;
  }
}
