#include "shared.h"
#define NOINLINE __attribute__((noinline))
NOINLINE int scale(const int *p) { return weight() * *p; }
NOINLINE void fail(const char *why) { die(why); }
static NOINLINE int local(const int *p) { return p[1]; }
int usesLocal(const int *p) { return local(p) + local(p + 1); }
