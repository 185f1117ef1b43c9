#include "shared.h"
int main(int argc, char **) {
  if (__builtin_expect(argc > 100, 0))
    fail("many");
  try {
    if (argc > 0)
      thrower(argc);
  } catch (int n) {
    fail("caught");
    taken(n);
    byNative(n);
    open(n);
    tiniest("tiniest");
    often("seldom");
  }
  for (int i = 0; i <= argc; ++i)
    often("often");
  printf("%d %d %d %d\n", pointer(argc), callNative(argc), first, table());
  return 0;
}
