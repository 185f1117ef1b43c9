// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce.h"

void wide(int count) {
  reduceAll<int32_t>(count);
  reduceAll<uint32_t>(count);
}
