// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nbody.h"

static __device__ float3 interact(float3 force, float4 a, float4 b,
                                  float softening) {
  float3 r = {b.x - a.x, b.y - a.y, b.z - a.z};
  float distance = r.x * r.x + r.y * r.y + r.z * r.z + softening * softening;
  float inverse = rsqrtf(distance);
  float scale = b.w * inverse * inverse * inverse;
  force.x += r.x * scale;
  force.y += r.y * scale;
  force.z += r.z * scale;
  return force;
}

__global__ void integrate(float4 *newPositions, const float4 *positions,
                          float4 *velocities, int bodies, int tiles,
                          float softening, float timeStep, float damping) {
  extern __shared__ float4 shared[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= bodies)
    return;
  float4 position = positions[i];
  float3 force = {0, 0, 0};
  for (int tile = 0; tile < tiles; ++tile) {
    shared[threadIdx.x] = positions[tile * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned j = 0; j < blockDim.x; ++j)
      force = interact(force, position, shared[j], softening);
    __syncthreads();
  }
  float4 velocity = velocities[i];
  velocity.x = (velocity.x + force.x * timeStep) * damping;
  velocity.y = (velocity.y + force.y * timeStep) * damping;
  velocity.z = (velocity.z + force.z * timeStep) * damping;
  position.x += velocity.x * timeStep;
  position.y += velocity.y * timeStep;
  position.z += velocity.z * timeStep;
  newPositions[i] = position;
  velocities[i] = velocity;
}
