// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan.h"

void narrow(int count) {
  scanAll<int8_t>(count);
  scanAll<uint8_t>(count);
  scanAll<int16_t>(count);
  scanAll<uint16_t>(count);
}
