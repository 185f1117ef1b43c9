// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

enum class Border { Clamp, Mirror, Zero };

constexpr int kMaxRadius = 16;

/// A separable filter with 2 * radius + 1 weights.
struct Filter {
  int radius;
  float weights[2 * kMaxRadius + 1];
};

Filter makeGaussian(int radius, float sigma);
/// Filters an image of \p channels interleaved bytes per pixel.
void apply(const Filter &filter, const unsigned char *in, float *scratch,
           unsigned char *out, int width, int height, int channels,
           Border border);

#ifdef __CUDACC__
extern __constant__ float filterWeights[2 * kMaxRadius + 1];
__global__ void filterRows(const unsigned char *in, float *out, int width,
                           int height, int channels, int radius, Border border);
__global__ void filterColumns(const float *in, unsigned char *out, int width,
                              int height, int channels, int radius,
                              Border border);
#endif
