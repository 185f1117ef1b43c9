//===- state.cu - Variables that several device files use -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device.h"

__constant__ Materials materials;
__device__ unsigned long long movedHeat;
__device__ unsigned bins[kBins];

void uploadMaterials(const Materials &values) {
  checkCuda(cudaMemcpyToSymbol(materials, &values, sizeof(values)),
            "upload of the materials");
}

void resetState() {
  unsigned long long zero = 0;
  unsigned zeros[kBins] = {};
  checkCuda(cudaMemcpyToSymbol(movedHeat, &zero, sizeof(zero)), "reset");
  checkCuda(cudaMemcpyToSymbol(bins, zeros, sizeof(zeros)), "reset");
}

void readState(Summary &summary) {
  checkCuda(
      cudaMemcpyFromSymbol(&summary.moved, movedHeat, sizeof(summary.moved)),
      "read of the moved heat");
  checkCuda(cudaMemcpyFromSymbol(summary.bins, bins, sizeof(summary.bins)),
            "read of the bins");
}
