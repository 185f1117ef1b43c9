// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.h"

__device__ int neighbour(int i, int step, int extent, Boundary boundary) {
  int n = i + step;
  if (boundary == Boundary::Periodic)
    return (n + extent) % extent;
  return n < 0 ? 1 : n >= extent ? extent - 2 : n;
}

__device__ float laplacian(const float *field, int x, int y,
                           const Params &params) {
  int left = neighbour(x, -1, params.width, params.boundary);
  int right = neighbour(x, 1, params.width, params.boundary);
  int up = neighbour(y, -1, params.height, params.boundary);
  int down = neighbour(y, 1, params.height, params.boundary);
  float edges = field[y * params.width + left] +
                field[y * params.width + right] +
                field[up * params.width + x] + field[down * params.width + x];
  float corners =
      field[up * params.width + left] + field[up * params.width + right] +
      field[down * params.width + left] + field[down * params.width + right];
  return 0.2f * edges + 0.05f * corners - field[y * params.width + x];
}

__global__ void react(Params params, Fields to, Fields from) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= params.width || y >= params.height)
    return;
  int i = y * params.width + x;
  float u = from.u[i], v = from.v[i];
  float rate = u * v * v;
  float newU = u + params.timeStep *
                       (params.diffusionU * laplacian(from.u, x, y, params) -
                        rate + params.feed * (1.0f - u));
  float newV = v + params.timeStep *
                       (params.diffusionV * laplacian(from.v, x, y, params) +
                        rate - (params.kill + params.feed) * v);
  if (params.clampToUnit) {
    newU = fminf(fmaxf(newU, 0.0f), 1.0f);
    newV = fminf(fmaxf(newV, 0.0f), 1.0f);
  }
  to.u[i] = newU;
  to.v[i] = newV;
}
