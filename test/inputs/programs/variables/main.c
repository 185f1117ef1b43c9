#include "shared.h"
#include <stdio.h>
NOINLINE int readsRates(void) { return rates[1]; }
int main(int argc, char **argv) {
  printf("limit %d %d\n", limit, usesLimit());
  printf("rates %d\n", readsRates());
  journal[argc] = argc;
  note(2);
  int before = written;
  change();
  printf("written %d %d\n", before, written);
  nativeChange();
  printf("native %d\n", byNative);
  otherName = 11;
  printf("alias %d\n", aliased);
  *where() = 12;
  printf("pointer %d\n", pointed);
  printf("volatile %d\n", observed);
  printf("section %d\n", sectioned);
  printf("thread %d\n", perThread);
  printf("initialised %d\n", initialised);
  printf("assembly %d\n", asmNamed);
}
