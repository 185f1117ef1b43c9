// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce.h"

void narrow(int count) {
  reduceAll<int8_t>(count);
  reduceAll<uint8_t>(count);
  reduceAll<int16_t>(count);
  reduceAll<uint16_t>(count);
}
