// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of an attention head and the normalization after it.
#include "../common.h"
#include "softmax.h"

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 128;
  constexpr int kColumns = 384;
  DeviceArray<float> scores(randomFloats(rows * kColumns, 31));
  DeviceArray<float> gain(randomFloats(kColumns, 32));
  DeviceArray<float> bias(randomFloats(kColumns, 33));
  DeviceArray<float> weights(rows * kColumns), normed(rows * kColumns);
  softmax(weights.get(), scores.get(), rows, kColumns, 0.125f);
  layerNorm(normed.get(), weights.get(), gain.get(), bias.get(), rows,
            kColumns);
  printChecksum("weights", weights.read());
  printChecksum("normed", normed.read());
}
