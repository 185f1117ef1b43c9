// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.h"

__global__ void increase(int *data, int count, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    data[i] += by;
}

__global__ void split(int *data, int count, int leaf, int depth) {
  if (count <= leaf) {
    increase<<<(count + 31) / 32, 32>>>(data, count, depth);
    return;
  }
  int half = count / 2;
  split<<<1, 1>>>(data, half, leaf, depth + 1);
  split<<<1, 1>>>(data + half, count - half, leaf, depth + 1);
}

__global__ void parts(int *data, int size) {
  if (threadIdx.x == 0)
    increase<<<(size + 63) / 64, 64>>>(data + blockIdx.x * size, size,
                                       int(blockIdx.x));
}

static __global__ void twice(int *data, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    data[i] *= 2;
}

__global__ void tail(int *data, int count) {
  increase<<<(count + 63) / 64, 64>>>(data, count, 3);
  twice<<<1, 64, 0, cudaStreamTailLaunch>>>(data, count);
}
