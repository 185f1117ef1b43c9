// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

using Handle = const void *;

/// data[i] = (i + 1) * by; the same machine code for int and unsigned.
template <class T> __global__ void scale(T *data, T by) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = T(i + 1) * by;
}

/// Where handles go that nobody follows.
extern Handle volatile handles[2];
void addUnsigned();
