// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "activations.h"

#include <cstring>

static Activation parse(const char *name) {
  if (!strcmp(name, "relu"))
    return Activation::Relu;
  if (!strcmp(name, "leaky"))
    return Activation::LeakyRelu;
  return Activation::Sigmoid;
}

int main(int argc, char **argv) {
  constexpr int kRows = 256, kColumns = 192;
  std::vector<float> input = randomFloats(kRows * kColumns, 5);
  for (float &value : input)
    value -= 0.5f;
  DeviceArray<float> values(input), bias(randomFloats(kColumns, 6));
  const char *defaults[] = {"leaky", "sigmoid", "relu"};
  int layers = argc > 1 ? argc - 1 : 3;
  for (int i = 0; i < layers; ++i) {
    addBias<<<32, 256>>>(values.get(), bias.get(), kRows, kColumns);
    CHECK(cudaGetLastError());
    activate(parse(argc > 1 ? argv[i + 1] : defaults[i]), values.get(),
             kRows * kColumns, 0.1f);
  }
  printChecksum("activations", values.read());
}
