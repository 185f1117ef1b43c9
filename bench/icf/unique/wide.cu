// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unique.h"

void wide(int count) {
  uniqueAll<int32_t>(count);
  uniqueAll<uint32_t>(count);
}
