//===- grid.h - The static library: host code, device code, both *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEAT_GRID_GRID_H
#define HEAT_GRID_GRID_H

#include "heat.h"

/// layout.cpp: host code only.
int paddedWidth(int width);
uint32_t checksumCells(const int *cells, int width, int height, int pitch);

/// fill.cu: a kernel and the host function that launches it. Sets every cell
/// to \p temperature plus a small amount that depends on the cell.
void fillGrid(const Grid &grid, int temperature);

#ifdef __CUDACC__
/// hash.cu: device code only. No host symbol of the program refers to that
/// member of the library; device code alone asks for it.
__device__ uint32_t cellHash(uint32_t x, uint32_t y);
#endif

#endif // HEAT_GRID_GRID_H
