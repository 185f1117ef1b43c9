#include "shared.h"
#include <cstdio>
bool raw;
NOINLINE int viaPointer(int (*volatile function)(long *, int), long *p) {
  return function(p, 1) + 1;
}
int main(int argc, char **) {
  raw = argc > 1;
  argc = 1;
  long array[4] = {};
  long long longer[4] = {};
  int result = more(argc) * 3;
  result += outer(array, argc) * 5;
  result += outer(longer, argc) * 7;
  result += viaPointer(inner<long>, array);
  printf("%d\n", result);
}
