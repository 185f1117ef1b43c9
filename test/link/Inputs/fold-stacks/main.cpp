#include "node.h"
#include <cstdio>
#include <execinfo.h>
extern "C" char __executable_start[];
static int total;
void show() {
  void *frames[64];
  int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    long address = (char *)frames[i] - __executable_start;
    if (address < 0 || address > 100000000)
      break; // the C library
    printf("0x%lx\n", address);
  }
  printf("\n");
  ++total;
}
int main() {
  uint32_t state = 1;
  int result = 0;
  for (int i = 0; i < 2500; ++i) {
    int depth = 3 + i % 14;
    result += startLong(i, depth, state) + startUnsigned(i / 3, depth, state);
  }
  return total == 10000 ? 0 : 1 + (result & 1);
}
