// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.h"

void narrow(int count) {
  gemmAll<int8_t>(count);
  gemmAll<uint8_t>(count);
  gemmAll<int16_t>(count);
  gemmAll<uint16_t>(count);
}
