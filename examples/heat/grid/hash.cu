//===- hash.cu - A member of the library that is device code only ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "grid/grid.h"

__device__ uint32_t cellHash(uint32_t x, uint32_t y) {
  return mixBits(x * 0x9e3779b9U ^ mixBits(y + 0x85ebca6bU));
}
