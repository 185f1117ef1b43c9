//===- FatbinaryFuzzer.cpp - Hostile fatbinary containers -----------------===//
//
// Part of gpulto.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fatobj/DeviceImage.h"

using namespace gpulto;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto images = readFatbinary(bytes, InputLocation("fuzz.fatbin"));
  if (!images) {
    llvm::consumeError(images.takeError());
    return 0;
  }
  // What was read can be written, or is refused with an error.
  auto written = writeFatbinary(*images, ImageCompression::None);
  llvm::consumeError(written.takeError());
  return 0;
}
