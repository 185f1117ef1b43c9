// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tables.h"

__constant__ int cubes[kWords];

__global__ void difference(int *out) {
  int i = threadIdx.x;
  const int *table = i % 2 ? cubes : squares; // an address in constant memory
  out[i] = cubes[i] - squares[i] + table[i] + offsets[1];
}
