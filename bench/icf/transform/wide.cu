// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform.h"

void wide(int count) {
  transformAll<int32_t>(count);
  transformAll<uint32_t>(count);
}
