// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sort.h"

void wide(int count) {
  sortAll<int32_t>(count);
  sortAll<uint32_t>(count);
}
