// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spmv.h"
#include "../common.h"

constexpr int kLanes = 8, kBlock = 128;

void multiply(const CsrMatrix &a, const float *x, float alpha, float beta,
              float *y) {
  int blocks = divideUp(a.rows * kLanes, kBlock);
  multiplyRows<<<blocks, kBlock>>>(a, x, alpha, beta, y, kLanes);
  CHECK(cudaGetLastError());
}
