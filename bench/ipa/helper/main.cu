// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "dot.h"

int main() {
  constexpr int kRows = 2048, kColumns = 48, kBlock = 128;
  DeviceArray<float> matrix(randomFloats(kRows * kColumns, 9));
  DeviceArray<float> direction(randomFloats(kColumns, 10));
  DeviceArray<float> norms(kRows), projections(kRows);
  rowNorms<<<kRows / kBlock, kBlock>>>(matrix.get(), kRows, kColumns,
                                       norms.get());
  CHECK(cudaGetLastError());
  project<<<kRows / kBlock, kBlock>>>(matrix.get(), kRows, kColumns,
                                      direction.get(), projections.get());
  CHECK(cudaGetLastError());
  printChecksum("norms", norms.read());
  printChecksum("projections", projections.read());
}
