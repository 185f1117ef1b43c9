#include "shared.h"
#define NOINLINE __attribute__((noinline))
NOINLINE int callsNative(int n) { return native(n); }
NOINLINE int throughThrower(int n) {
  throwsOdd(n);
  return n;
}
