//===- heat.h - What host and device files of the sample share --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat spreads over a grid of cells made of different materials. All state is
// fixed point (Q8) or exactly representable, so that any correct compilation
// prints the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef HEAT_H
#define HEAT_H

#include <cstdint>

#ifdef __CUDACC__
#define HEAT_BOTH __host__ __device__
#else
#define HEAT_BOTH
#endif

constexpr int kMaterials = 4;
constexpr int kBins = 16;
constexpr int kInjectBlocks = 4;
constexpr int kInjectThreads = 64;
/// Q8: 256 is one degree.
constexpr int kBinWidth = 512;

/// A grid in device (or host) memory, passed to kernels by value.
struct Grid {
  int *cells;
  int width;
  int height;
  int pitch; ///< in cells
};

/// How fast heat leaves a cell of each material, in 1/1024 per neighbor.
struct Materials {
  int conductivity[kMaterials];
  int borderLoss; ///< right shift of the loss at the border
};

/// What one run has found out.
struct Summary {
  long long total;
  double mean;
  int maximum;
  float maximumDegrees;
  unsigned long long moved;
  unsigned bins[kBins];
  uint32_t checksum;
};

struct Options {
  int width = 96;
  int height = 64;
  int steps = 20;
  int blockHeight = 8; ///< of the stencil's blocks: known at run time only
  bool quiet = false;
};

/// One step of murmur's finalizer: the same on host and device.
HEAT_BOTH inline uint32_t mixBits(uint32_t value) {
  value ^= value >> 16;
  value *= 0x7feb352dU;
  value ^= value >> 15;
  value *= 0x846ca68bU;
  return value ^ (value >> 16);
}

/// Heat that flows from a neighbor into a cell in one step.
HEAT_BOTH inline int flow(int neighbour, int cell, int conductivity) {
  return ((neighbour - cell) * conductivity) / 1024;
}

// config.cpp
bool parseOptions(int argc, char **argv, Options &options);
Materials chooseMaterials();
// report.cpp
void printSummary(const char *title, const Summary &summary);
bool sameSummary(const Summary &left, const Summary &right);
// reference.cpp: the same computation on the host
Summary runReference(const Options &options, const Materials &materials);
// simulate.cu
Summary runOnDevice(const Options &options, const Materials &materials);

#endif // HEAT_H
