// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gemm.h"

void narrow(int count);
void wide(int count);

int main(int argc, char **) {
  int count = 36 + argc;
  narrow(count);
  wide(count);
  gemmAll<int64_t>(count);
  gemmAll<uint64_t>(count);
}
