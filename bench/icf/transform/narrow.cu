// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform.h"

void narrow(int count) {
  transformAll<int8_t>(count);
  transformAll<uint8_t>(count);
  transformAll<int16_t>(count);
  transformAll<uint16_t>(count);
}
