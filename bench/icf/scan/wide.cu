// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan.h"

void wide(int count) {
  scanAll<int32_t>(count);
  scanAll<uint32_t>(count);
}
