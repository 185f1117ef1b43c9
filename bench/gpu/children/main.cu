// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches from device code: by all blocks, several levels deep, and at the
// tail.
#include "../expect.h"
#include "kernels.h"

namespace {
int depthOf(int i, int count, int leaf, int depth) {
  if (count <= leaf)
    return depth;
  int half = count / 2;
  return i < half ? depthOf(i, half, leaf, depth + 1)
                  : depthOf(i - half, count - half, leaf, depth + 1);
}
} // namespace

int main() {
  constexpr int kCount = 500, kLeaf = 70, kParts = 10;
  Expectations expect;
  std::vector<int> depths, numbers, doubled;
  for (int i = 0; i < kCount; ++i) {
    depths.push_back(depthOf(i, kCount, kLeaf, 0));
    numbers.push_back(i / (kCount / kParts));
    doubled.push_back(6);
  }
  DeviceArray<int> data(kCount), others(kCount), tails(kCount);
  split<<<1, 1>>>(data.get(), kCount, kLeaf, 0);
  CHECK(cudaGetLastError());
  expect.equal("levels", data.read(), depths);
  parts<<<kParts, 64>>>(others.get(), kCount / kParts);
  CHECK(cudaGetLastError());
  expect.equal("parts", others.read(), numbers);
  tail<<<1, 1>>>(tails.get(), kCount);
  CHECK(cudaGetLastError());
  expect.equal("tail", tails.read(), doubled);
  return expect.finish();
}
