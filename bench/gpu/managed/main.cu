// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Managed variables and memory: initial values, use before main, both sides in
// turn, pointers that both follow.
#include "../expect.h"
#include "shared.h"

namespace {
int beforeMain = table[1];

void testTable(Expectations &expect) {
  expect.equal("before main", beforeMain, 20);
  std::vector<int> expected(kCount);
  expected[0] = 10, expected[1] = 20, expected[2] = 30;
  for (int round = 1; round <= 3; ++round) {
    table[round] = 100 * round;     // the host,
    increase<<<1, kCount>>>(round); // then the device
    CHECK(cudaDeviceSynchronize());
    expected[round] = 100 * round;
    for (int &value : expected)
      value += round;
    expect.equal("table", std::vector<int>(table, table + kCount), expected);
  }
}

void testList(Expectations &expect) {
  int *result;
  CHECK(cudaMallocManaged(&result, sizeof *result));
  *result = -1;
  int expected = 0;
  for (int i = 0; i < 5; ++i) {
    Node *node;
    CHECK(cudaMallocManaged(&node, sizeof *node));
    *node = Node{i * i, list};
    list = node;
    expected += i * i;
    sum<<<1, 1>>>(result);
    CHECK(cudaDeviceSynchronize());
    expect.equal("list", *result, expected);
  }
  CHECK(cudaFree(result));
}
} // namespace

int main() {
  Expectations expect;
  testTable(expect);
  testList(expect);
  return expect.finish();
}
