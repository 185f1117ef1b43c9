#include "shared.h"
#include <stdio.h>
static __attribute__((noinline)) int twice(int n) { return 2 * n; }
const int table[5] = {10, 20, 30, 40, 50};
int losing(int n) { return n + 96; }
int main(int argc, char **argv) {
  printf("scaled %d %d\n", scaled(6), scaled(6));
  printf("fetch %d %d\n", fetch(table + 2, 0 + 1) - 10, fetch(table + 2, 3) - 0);
  printf("native %d %d\n", seenByNative(4), nativeSum());
  printf("alias %d %d\n", aliased(9), otherName(12));
  printf("pointer %d %d\n", pointed(13), pointer(17));
  printf("constructor %d\n", constructorRan());
  printf("lost %d %d\n", callsLosing(), losing(4));
  printf("apply %d\n", apply(twice, 4));
  printf("several %d %d\n", several(3), several(argc + 3));
}
