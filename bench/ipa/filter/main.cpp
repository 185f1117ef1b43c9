// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "filter.h"

int main(int argc, char **argv) {
  int width = argc > 1 ? atoi(argv[1]) : 160;
  int height = argc > 2 ? atoi(argv[2]) : 96;
  constexpr int kChannels = 3;
  Random random(29);
  std::vector<unsigned char> pixels(size_t(width) * height * kChannels);
  for (unsigned char &pixel : pixels)
    pixel = static_cast<unsigned char>(random.bits() >> 13);
  DeviceArray<unsigned char> in(pixels), out(pixels.size());
  DeviceArray<float> scratch(pixels.size());
  Filter blur = makeGaussian(4, 1.7f);
  apply(blur, in.get(), scratch.get(), out.get(), width, height, kChannels,
        Border::Mirror);
  printChecksum("blurred", out.read());
}
