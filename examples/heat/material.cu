//===- material.cu - Device functions that other files call ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device.h"
#include "grid/grid.h"

__device__ int conductivityOf(int x, int y) {
  return materials.conductivity[cellHash(x, y) % kMaterials];
}

__device__ int borderLossOf(int cell) { return cell >> materials.borderLoss; }

// Called by nobody: a whole-program optimizer removes it.
__device__ int unusedConductivity(int x, int y) {
  return conductivityOf(y, x) + 1;
}
