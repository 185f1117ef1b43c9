// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "nbody.h"

constexpr int kBlock = 64;

void step(const Simulation &simulation, float4 *newPositions,
          const float4 *positions, float4 *velocities) {
  int blocks = simulation.bodies / kBlock;
  integrate<<<blocks, kBlock, kBlock * sizeof(float4)>>>(
      newPositions, positions, velocities, simulation.bodies, blocks,
      simulation.softening, simulation.timeStep, simulation.damping);
  CHECK(cudaGetLastError());
}
