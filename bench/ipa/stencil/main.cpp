// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "stencil.h"

#include <utility>

int main(int argc, char **argv) {
  constexpr int kX = 64, kY = 64, kZ = 32;
  int steps = argc > 1 ? atoi(argv[1]) : 4;
  DeviceArray<float> a(randomFloats(kX * kY * kZ, 1)), b(kX * kY * kZ);
  float *from = a.get(), *to = b.get();
  for (int i = 0; i < steps; ++i) {
    jacobiStep(to, from, kX, kY, kZ, 0.1f);
    std::swap(from, to);
  }
  CHECK(cudaDeviceSynchronize());
  printChecksum("stencil", (steps % 2 ? b : a).read());
}
