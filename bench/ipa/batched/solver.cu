// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "batched.h"

constexpr int kThreads = 128;

void factorise(const MatrixBatch &batch) {
  luKernel<<<divideUp(batch.count, kThreads), kThreads>>>(
      batch.data, batch.size, batch.leadingDimension, batch.stride,
      batch.count);
  CHECK(cudaGetLastError());
}

void solve(const MatrixBatch &batch, float *right) {
  solveKernel<<<divideUp(batch.count, kThreads), kThreads>>>(
      batch.data, batch.size, batch.leadingDimension, batch.stride, right,
      batch.count);
  CHECK(cudaGetLastError());
}
