//===- reference.cpp - The same computation on the host -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "grid/grid.h"

#include <algorithm>
#include <vector>

namespace {

uint32_t hashOf(uint32_t x, uint32_t y) {
  return mixBits(x * 0x9e3779b9U ^ mixBits(y + 0x85ebca6bU));
}

class Reference {
public:
  Reference(const Options &options, const Materials &materials)
      : width(options.width), height(options.height), materials(materials),
        cells(width * height) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        cells[y * width + x] = 300 + static_cast<int>(hashOf(x, y) & 15);
  }

  void inject(int step) {
    for (unsigned i = 0; i < kInjectBlocks * kInjectThreads; ++i) {
      uint32_t hash = hashOf(i, step);
      cells[(hash >> 12) % height * width + hash % width] += 4096;
    }
  }

  void diffuse() {
    std::vector<int> next(cells.size());
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int change = changeOf(x, y);
        moved += change < 0 ? -change : change;
        next[y * width + x] = cells[y * width + x] + change;
      }
    cells.swap(next);
  }

  Summary summarize() const {
    Summary result = {};
    result.moved = moved;
    for (int cell : cells) {
      result.total += cell;
      result.maximum = std::max(result.maximum, cell);
      ++result.bins[std::clamp(cell / kBinWidth, 0, kBins - 1)];
    }
    result.mean = static_cast<double>(result.total) / 256 / (width * height);
    result.maximumDegrees = static_cast<float>(result.maximum) / 256;
    result.checksum = checksumCells(cells.data(), width, height, width);
    return result;
  }

private:
  int changeOf(int x, int y) const {
    int cell = cells[y * width + x];
    int conductivity = materials.conductivity[hashOf(x, y) % kMaterials];
    int change = 0;
    if (x > 0)
      change += flow(cells[y * width + x - 1], cell, conductivity);
    if (x < width - 1)
      change += flow(cells[y * width + x + 1], cell, conductivity);
    if (y > 0)
      change += flow(cells[(y - 1) * width + x], cell, conductivity);
    if (y < height - 1)
      change += flow(cells[(y + 1) * width + x], cell, conductivity);
    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
      change -= cell >> materials.borderLoss;
    return change;
  }

  int width, height;
  Materials materials;
  std::vector<int> cells;
  unsigned long long moved = 0;
};

} // namespace

Summary runReference(const Options &options, const Materials &materials) {
  Reference reference(options, materials);
  for (int step = 0; step < options.steps; ++step) {
    reference.inject(step);
    reference.diffuse();
  }
  return reference.summarize();
}
