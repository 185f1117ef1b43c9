//===- layout.cpp - Memory layout and checksum, host only -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "grid/grid.h"

int paddedWidth(int width) { return (width + 31) / 32 * 32; }

uint32_t checksumCells(const int *cells, int width, int height, int pitch) {
  uint32_t sum = 0x811c9dc5U;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      sum = mixBits(sum ^ static_cast<uint32_t>(cells[y * pitch + x])) + 1;
  return sum;
}
