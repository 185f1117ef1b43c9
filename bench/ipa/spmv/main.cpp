// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A few steps of the power method on a random sparse matrix.
#include "../common.h"
#include "spmv.h"

#include <utility>

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 6000;
  Random random(19);
  std::vector<int> starts = {0}, columns;
  std::vector<float> values;
  for (int r = 0; r < rows; ++r) {
    int entries = 4 + random.bits() % 20;
    for (int e = 0; e < entries; ++e) {
      columns.push_back(static_cast<int>(random.bits() % rows));
      values.push_back(random.uniform() / entries);
    }
    starts.push_back(static_cast<int>(columns.size()));
  }
  DeviceArray<int> deviceStarts(starts), deviceColumns(columns);
  DeviceArray<float> deviceValues(values);
  DeviceArray<float> a(randomFloats(rows, 20)), b(rows);
  CsrMatrix matrix = {rows, deviceStarts.get(), deviceColumns.get(),
                      deviceValues.get()};
  float *x = a.get(), *y = b.get();
  for (int i = 0; i < 4; ++i) {
    multiply(matrix, x, 1.9f, 0.0f, y);
    std::swap(x, y);
  }
  printChecksum("spmv", a.read());
}
