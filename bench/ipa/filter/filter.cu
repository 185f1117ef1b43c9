// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter.h"
#include "../common.h"

#include <cmath>

Filter makeGaussian(int radius, float sigma) {
  Filter filter = {radius, {}};
  float sum = 0;
  for (int k = -radius; k <= radius; ++k)
    sum += filter.weights[k + radius] =
        std::exp(-float(k * k) / (2 * sigma * sigma));
  for (int k = 0; k <= 2 * radius; ++k)
    filter.weights[k] /= sum;
  return filter;
}

void apply(const Filter &filter, const unsigned char *in, float *scratch,
           unsigned char *out, int width, int height, int channels,
           Border border) {
  CHECK(cudaMemcpyToSymbol(filterWeights, filter.weights,
                           (2 * filter.radius + 1) * sizeof(float)));
  dim3 block(32, 8);
  dim3 grid(divideUp(width, block.x), divideUp(height, block.y));
  filterRows<<<grid, block>>>(in, scratch, width, height, channels,
                              filter.radius, border);
  CHECK(cudaGetLastError());
  filterColumns<<<grid, block>>>(scratch, out, width, height, channels,
                                 filter.radius, border);
  CHECK(cudaGetLastError());
}
