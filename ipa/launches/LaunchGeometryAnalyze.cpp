//===- LaunchGeometryAnalyze.cpp - Jump functions of grids and blocks -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ipa/launches/LaunchGeometry.h"
#include "ipa/values/JumpFunctionBuilder.h"

namespace gpulto {

llvm::SmallVector<JumpFunction, 8> unknownGeometry() {
  JumpFunction unknown;
  unknown.bitWidth = 32;
  llvm::SmallVector<JumpFunction, 8> geometry(kGeometryCount);
  for (unsigned i = kGridX; i <= kBlockZ; ++i)
    geometry[i] = unknown;
  return geometry;
}

bool isCopied(const JumpFunction &value) {
  return value.kind == JumpFunction::Kind::LoadAggregate &&
         value.bitWidth == 0 && value.count;
}

void setDimensions(llvm::MutableArrayRef<JumpFunction> geometry,
                   const AggregatePart &part, uint64_t grid,
                   JumpFunctionBuilder &builder) {
  constexpr uint64_t kDimensionBytes = 4;
  auto set = [&](uint64_t byte, const JumpFunction &value) {
    if (byte >= grid && byte < grid + kGridAndBlockBytes &&
        value.bitWidth == 32)
      geometry[kGridX + (byte - grid) / kDimensionBytes] = value;
  };
  const JumpFunction &value = part.value;
  if (isCopied(value)) {
    for (uint64_t i = 0; i + kDimensionBytes <= value.count;
         i += kDimensionBytes) {
      JumpFunction dimension = value;
      dimension.bitWidth = 32;
      dimension.value += i;
      dimension.count = kDimensionBytes;
      set(part.byteOffset + i, dimension);
    }
  } else if (value.bitWidth == 64) {
    // Two dimensions stored as one word.
    auto [x, y] = builder.halvesOf(value);
    set(part.byteOffset, x);
    set(part.byteOffset + kDimensionBytes, y);
  } else {
    set(part.byteOffset, value);
  }
}

} // namespace gpulto
