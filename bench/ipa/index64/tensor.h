// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>

constexpr int kMaxRank = 4;

/// A strided view of device memory; sizes and strides in elements.
struct TensorView {
  float *data;
  int rank;
  size_t sizes[kMaxRank];
  size_t strides[kMaxRank];
};

/// out[i...] = scale * in[i...], whatever the strides of either are.
void copyScaled(const TensorView &out, const TensorView &in, float scale);
/// Sums over the last dimension of a three-dimensional view.
void sumLast(float *out, const TensorView &in);

#ifdef __CUDACC__
__global__ void copyKernel(TensorView out, TensorView in, float scale,
                           size_t count);
__global__ void sumLastKernel(float *out, const float *in, size_t size0,
                              size_t size1, size_t size2, size_t stride0,
                              size_t stride1, size_t stride2);
#endif
