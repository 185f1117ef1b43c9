// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

__managed__ int table[kCount] = {10, 20, 30};
__managed__ Node *list;

__global__ void increase(int by) { table[threadIdx.x] += by; }

__global__ void sum(int *out) {
  int total = 0;
  for (const Node *node = list; node; node = node->next)
    total += node->value;
  *out = total;
}
