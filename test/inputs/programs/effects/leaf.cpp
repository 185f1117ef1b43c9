#include "shared.h"
#include <cstdio>
#include <cstdlib>
#define NOINLINE __attribute__((noinline))
static int three = 3; // nobody writes it
NOINLINE int weight() { return three; }
NOINLINE void fillOne(int *p) { *p = 4; }
NOINLINE void die(const char *why) {
  puts(why);
  exit(0);
}
static volatile int changing = 7;
NOINLINE int ignores(int) { return changing + 1; }
