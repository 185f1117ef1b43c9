// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "histogram.h"

int main(int argc, char **argv) {
  constexpr int kBins = 256;
  int count = argc > 1 ? atoi(argv[1]) : 150000;
  DeviceArray<float> values(randomFloats(count, 17));
  DeviceArray<unsigned> counts(kBins);
  histogram(values.get(), count, 0.0f, 1.0f, kBins, counts.get());
  printChecksum("histogram", counts.read());
}
