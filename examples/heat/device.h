//===- device.h - Device variables and functions of several files *- C++ -*===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEAT_DEVICE_H
#define HEAT_DEVICE_H

#include "heat.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Defined in state.cu, used by material.cu, stencil.cu and histogram.cu.
extern __constant__ Materials materials;
extern __device__ unsigned long long movedHeat;
extern __device__ unsigned bins[kBins];

// material.cu
__device__ int conductivityOf(int x, int y);
__device__ int borderLossOf(int cell);

// state.cu
void uploadMaterials(const Materials &values);
void resetState();
void readState(Summary &summary);
// sources.cu
void injectHeat(const Grid &grid, int step);
// stencil.cu
void diffuse(const Grid &from, const Grid &to, int blockHeight);
// histogram.cu
void fillHistogram(const Grid &grid);
// reduce.cu
void reduceGrid(const Grid &grid, Summary &summary);

/// Ends the program when a call of the CUDA runtime has failed.
inline void checkCuda(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "heat: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

#endif // HEAT_DEVICE_H
