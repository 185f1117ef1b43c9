//===- simulate.cu - The run on the device, step by step ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device.h"
#include "grid/grid.h"

#include <vector>

Summary runOnDevice(const Options &options, const Materials &values) {
  Grid grids[2];
  for (Grid &grid : grids) {
    grid = {nullptr, options.width, options.height, paddedWidth(options.width)};
    size_t bytes = sizeof(int) * grid.pitch * grid.height;
    checkCuda(cudaMalloc(&grid.cells, bytes), "cudaMalloc");
    checkCuda(cudaMemset(grid.cells, 0, bytes), "cudaMemset");
  }
  uploadMaterials(values);
  resetState();
  fillGrid(grids[0], 300);
  for (int step = 0; step < options.steps; ++step) {
    injectHeat(grids[step % 2], step);
    diffuse(grids[step % 2], grids[1 - step % 2], options.blockHeight);
  }
  const Grid &last = grids[options.steps % 2];
  fillHistogram(last);
  Summary summary = {};
  reduceGrid(last, summary);
  checkCuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  readState(summary);

  std::vector<int> cells(last.pitch * last.height);
  checkCuda(cudaMemcpy(cells.data(), last.cells, cells.size() * sizeof(int),
                       cudaMemcpyDeviceToHost),
            "read of the grid");
  summary.checksum =
      checksumCells(cells.data(), last.width, last.height, last.pitch);
  for (Grid &grid : grids)
    checkCuda(cudaFree(grid.cells), "cudaFree");
  return summary;
}
