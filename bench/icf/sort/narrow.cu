// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sort.h"

void narrow(int count) {
  sortAll<int8_t>(count);
  sortAll<uint8_t>(count);
  sortAll<int16_t>(count);
  sortAll<uint16_t>(count);
}
