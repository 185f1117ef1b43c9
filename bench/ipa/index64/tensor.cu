// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor.h"
#include "../common.h"

constexpr unsigned kBlock = 256;

static unsigned blocksFor(size_t count) {
  return static_cast<unsigned>((count + kBlock - 1) / kBlock);
}

void copyScaled(const TensorView &out, const TensorView &in, float scale) {
  size_t count = 1;
  for (int d = 0; d < in.rank; ++d)
    count *= in.sizes[d];
  copyKernel<<<blocksFor(count), kBlock>>>(out, in, scale, count);
  CHECK(cudaGetLastError());
}

void sumLast(float *out, const TensorView &in) {
  size_t rows = in.sizes[0] * in.sizes[1];
  sumLastKernel<<<blocksFor(rows), kBlock>>>(
      out, in.data, in.sizes[0], in.sizes[1], in.sizes[2], in.strides[0],
      in.strides[1], in.strides[2]);
  CHECK(cudaGetLastError());
}
