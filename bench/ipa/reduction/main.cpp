// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "reduction.h"

int main(int argc, char **argv) {
  size_t count = argc > 1 ? strtoull(argv[1], nullptr, 10) : 200000;
  DeviceArray<float> values(randomFloats(count, 11));
  printf("sum %.5e largest %.5e\n", sum(values.get(), count),
         largest(values.get(), count));
}
