// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../common.h"
#include "model.h"

void advance(const Params &params, Fields to, Fields from) {
  dim3 block(16, 16);
  dim3 grid(divideUp(params.width, block.x), divideUp(params.height, block.y));
  react<<<grid, block>>>(params, to, from);
  CHECK(cudaGetLastError());
}
