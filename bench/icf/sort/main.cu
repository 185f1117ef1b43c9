// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sort.h"

void narrow(int count);
void wide(int count);

int main(int argc, char **) {
  int count = 1999 + argc;
  narrow(count);
  wide(count);
  sortAll<int64_t>(count);
  sortAll<uint64_t>(count);
}
