// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tables.h"

__constant__ int squares[kWords];
__constant__ int offsets[kWords] = {1000, 2000, 3000};

__global__ void sumOfFirst(int *out) {
  int i = threadIdx.x;
  out[i] = squares[i] + offsets[i] + offsets[2];
}
