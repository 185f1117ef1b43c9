#include "shared.h"
#define NOINLINE __attribute__((noinline))
static volatile int changing = 7;
NOINLINE int readsVolatile() { return changing; }
static int counter;
NOINLINE int countsUp(const int *) { return __atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST); }
NOINLINE int withAssembly(int n) {
  asm volatile("" : "+r"(n) : : "memory");
  return n;
}
NOINLINE void throwsOdd(int n) {
  if (n & 1)
    throw n;
}
