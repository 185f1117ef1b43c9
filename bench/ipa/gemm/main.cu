// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two layers of a perceptron.
#include "../common.h"
#include "gemm.h"

static void gemm(int m, int n, int k, float alpha, const float *a,
                 const float *b, float beta, float *c) {
  dim3 block(kTile, kTile);
  dim3 grid(divideUp(n, kTile), divideUp(m, kTile));
  gemmTiled<<<grid, block>>>(m, n, k, alpha, a, k, b, n, beta, c, n);
  CHECK(cudaGetLastError());
}

int main() {
  constexpr int kBatch = 64, kWidth = 128;
  DeviceArray<float> input(randomFloats(kBatch * kWidth, 1));
  DeviceArray<float> first(randomFloats(kWidth * kWidth, 2));
  DeviceArray<float> second(randomFloats(kWidth * kWidth, 3));
  DeviceArray<float> hidden(kBatch * kWidth), output(kBatch * kWidth);
  gemm(kBatch, kWidth, kWidth, 0.125f, input.get(), first.get(), 0.0f,
       hidden.get());
  gemm(kBatch, kWidth, kWidth, 0.125f, hidden.get(), second.get(), 0.0f,
       output.get());
  printChecksum("hidden", hidden.read());
  printChecksum("output", output.read());
}
