//===- FatBinaryFuzzer.cpp - Hostile containers in the emulator -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/runtime/FatBinary.h"

#include <cstdlib>

using namespace gpulto::emu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  DeviceImages images;
  readContainer({data, size}, images);
  for (unsigned arch : {70u, 90u, 103u}) {
    for (size_t index : selectImages(images, arch))
      if (index >= images.images.size())
        std::abort();
    explainNoImage(images, arch);
  }
  return 0;
}
