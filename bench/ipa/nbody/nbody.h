// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cuda_runtime.h>

struct Simulation {
  int bodies;
  float softening;
  float timeStep;
  float damping;
};

void step(const Simulation &simulation, float4 *newPositions,
          const float4 *positions, float4 *velocities);

#ifdef __CUDACC__
__global__ void integrate(float4 *newPositions, const float4 *positions,
                          float4 *velocities, int bodies, int tiles,
                          float softening, float timeStep, float damping);
#endif
