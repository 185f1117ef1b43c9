// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter.h"

__constant__ float filterWeights[2 * kMaxRadius + 1];

/// Returns the position that stands for \p i, or -1 for none.
static __device__ int resolve(int i, int extent, Border border) {
  if (i >= 0 && i < extent)
    return i;
  switch (border) {
  case Border::Clamp:
    return i < 0 ? 0 : extent - 1;
  case Border::Mirror:
    return i < 0 ? -i - 1 : 2 * extent - i - 1;
  case Border::Zero:
    return -1;
  }
  return -1;
}

__global__ void filterRows(const unsigned char *in, float *out, int width,
                           int height, int channels, int radius,
                           Border border) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  for (int c = 0; c < channels; ++c) {
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) {
      int from = resolve(x + k, width, border);
      if (from >= 0)
        sum += filterWeights[k + radius] *
               in[(y * width + from) * channels + c];
    }
    out[(y * width + x) * channels + c] = sum;
  }
}

__global__ void filterColumns(const float *in, unsigned char *out, int width,
                              int height, int channels, int radius,
                              Border border) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  for (int c = 0; c < channels; ++c) {
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) {
      int from = resolve(y + k, height, border);
      if (from >= 0)
        sum += filterWeights[k + radius] *
               in[(from * width + x) * channels + c];
    }
    out[(y * width + x) * channels + c] =
        static_cast<unsigned char>(fminf(fmaxf(sum + 0.5f, 0.0f), 255.0f));
  }
}
