// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many small linear systems, as element-wise physics has them.
#include "../common.h"
#include "batched.h"

int main(int argc, char **argv) {
  constexpr int kSize = 6;
  int count = argc > 1 ? atoi(argv[1]) : 4000;
  std::vector<float> values = randomFloats(kSize * kSize * count, 7);
  for (int m = 0; m < count; ++m)
    for (int i = 0; i < kSize; ++i)
      values[(m * kSize + i) * kSize + i] += kSize;
  DeviceArray<float> data(values), right(randomFloats(kSize * count, 8));
  MatrixBatch batch = {data.get(), kSize, kSize, kSize * kSize, count};
  factorise(batch);
  solve(batch, right.get());
  printChecksum("factors", data.read());
  printChecksum("solution", right.read());
}
