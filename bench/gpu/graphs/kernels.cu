// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

__global__ void step(int *data, int count, int factor, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] = data[i] * factor + offset;
}

__global__ void add(int *sum, const int *data, int count) {
  int partial = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    partial += data[i];
  atomicAdd(sum, partial);
}
