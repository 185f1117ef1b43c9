// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan.h"

void narrow(int count);
void wide(int count);

int main(int argc, char **) {
  int count = 1999 + argc;
  narrow(count);
  wide(count);
  scanAll<int64_t>(count);
  scanAll<uint64_t>(count);
}
