#include "shared.h"
#define NOINLINE __attribute__((noinline))
NOINLINE void fail(const char *why) { report(why); }
NOINLINE void report(const char *why) { printf("failed: %s\n", why); }
NOINLINE void often(const char *what) { printf("%s\n", what); }
NOINLINE void thrower(int n) { throw n; }
NOINLINE int taken(int n) { return n + 1; }
int (*pointer)(int) = taken;
NOINLINE int byNative(int n) { return n + 2; }
static volatile int seven = 7;
static NOINLINE int start() { return seven; }
int first = start();
