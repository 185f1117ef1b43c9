// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor.h"

__global__ void copyKernel(TensorView out, TensorView in, float scale,
                           size_t count) {
  size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    size_t rest = i, from = 0, to = 0;
    for (int d = in.rank - 1; d >= 0; --d) {
      size_t coordinate = rest % in.sizes[d];
      rest /= in.sizes[d];
      from += coordinate * in.strides[d];
      to += coordinate * out.strides[d];
    }
    out.data[to] = scale * in.data[from];
  }
}

__global__ void sumLastKernel(float *out, const float *in, size_t size0,
                              size_t size1, size_t size2, size_t stride0,
                              size_t stride1, size_t stride2) {
  size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size0 * size1)
    return;
  const float *row = in + (i / size1) * stride0 + (i % size1) * stride1;
  float sum = 0;
  for (size_t k = 0; k < size2; ++k)
    sum += row[k * stride2];
  out[i] = sum;
}
