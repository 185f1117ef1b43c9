// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.h"

void wide(int count) {
  gemmAll<int32_t>(count);
  gemmAll<uint32_t>(count);
}
