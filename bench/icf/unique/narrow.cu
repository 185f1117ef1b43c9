// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unique.h"

void narrow(int count) {
  uniqueAll<int8_t>(count);
  uniqueAll<uint8_t>(count);
  uniqueAll<int16_t>(count);
  uniqueAll<uint16_t>(count);
}
