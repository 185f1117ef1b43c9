// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes and offsets are read at run time, as from a file: no compiler knows them.
#include "../common.h"
#include "kernels.h"

volatile int rows = 768, columns = 256, header = 32, blocks = 24;

int main() {
  constexpr int kBlock = 128;
  int m = rows, n = columns, skip = header, grid = blocks;
  DeviceArray<float> file(randomFloats(skip + m * n + n, 19));
  DeviceArray<float> product(m), small(m * n / 8), turned(m * n);
  const float *data = file.get() + skip, *x = data + m * n;
  multiply<<<divideUp(m, kBlock), kBlock>>>(product.get(), Matrix{data, m, n},
                                            x);
  CHECK(cudaGetLastError());
  shrink<<<divideUp(m * n / 8, kBlock), kBlock>>>(small.get(), data, m * n / 8);
  CHECK(cudaGetLastError());
  gather<<<grid, kBlock>>>(turned.get(), data, size_t(m) * n, n, n);
  CHECK(cudaGetLastError());
  printChecksum("product", product.read());
  printChecksum("small", small.read());
  printChecksum("turned", turned.read());
}
