// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant memory of several files, used by kernels of several partitions.
#include "../expect.h"
#include "tables.h"

int main() {
  Expectations expect;
  std::vector<int> square, cube, sum, different;
  for (int i = 0; i < kWords; ++i) {
    int offset = i < 3 ? 1000 * (i + 1) : 0;
    square.push_back(i * i);
    cube.push_back(i * i * i);
    sum.push_back(i * i + offset + 3000);
    different.push_back(cube[i] - square[i] + (i % 2 ? cube : square)[i] +
                        2000);
  }
  CHECK(cudaMemcpyToSymbol(squares, square.data(), sizeof squares));
  CHECK(cudaMemcpyToSymbol(cubes, cube.data(), sizeof cubes));
  DeviceArray<int> sums(kWords), differences(kWords);
  sumOfFirst<<<1, kWords>>>(sums.get());
  CHECK(cudaGetLastError());
  expect.equal("constants of one's own file", sums.read(), sum);
  difference<<<1, kWords>>>(differences.get());
  CHECK(cudaGetLastError());
  expect.equal("constants of two files", differences.read(), different);
  return expect.finish();
}
