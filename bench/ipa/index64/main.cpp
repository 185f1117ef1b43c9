// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "tensor.h"

int main() {
  constexpr size_t kA = 24, kB = 40, kC = 32;
  DeviceArray<float> input(randomFloats(kA * kB * kC, 13));
  DeviceArray<float> turned(kA * kB * kC), sums(kA * kB);
  TensorView in = {input.get(), 3, {kA, kB, kC}, {kB * kC, kC, 1}};
  TensorView out = {turned.get(), 3, {kA, kB, kC}, {1, kA, kA * kB}};
  copyScaled(out, in, 2.0f);
  sumLast(sums.get(), out);
  printChecksum("turned", turned.read());
  printChecksum("sums", sums.read());
}
