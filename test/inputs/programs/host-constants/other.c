#include "shared.h"
#define NOINLINE __attribute__((noinline))
static volatile int sink;
static NOINLINE int inner(int n) { return sink = n; }
NOINLINE int scaled(int n) { return inner(n + 1) * n; }
NOINLINE int fetch(const int *from, long at) { return from[at - 1] + (at == 3 ? 0 : 10); }
NOINLINE int seenByNative(int n) { return n + 1; }
NOINLINE int aliased(int n) { return n; }
int otherName(int n) __attribute__((alias("aliased")));
NOINLINE int pointed(int n) { return n; }
int (*volatile pointer)(int) = pointed;
static int ran;
static NOINLINE __attribute__((constructor)) void constructor(int argc) { ran = argc >= 1; }
int constructorRan(void) { return ran; }
NOINLINE int apply(int (*f)(int), int n) { return f(n); }
NOINLINE int several(int n) { return n; }
