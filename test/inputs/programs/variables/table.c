#include "shared.h"
#include <stdlib.h>
int limit = 5;
int rates[4] = {10, 20, 30, 40};
int journal[64];
int written = 7;
int byNative = 8;
int aliased = 10;
extern int otherName __attribute__((alias("aliased")));
int pointed = 1;
volatile int observed = 13;
__attribute__((section("mine"))) int sectioned = 14;
__thread int perThread = 15;
int initialised;
int asmNamed = 16;
static int start(void) { return getenv("GPULTO_NOT_SET") ? 1 : 16; }
__attribute__((constructor)) static void initialise(void) { initialised = start(); }
NOINLINE int usesLimit(void) { return limit + 1; }
NOINLINE void note(int n) { journal[n] = n; }
NOINLINE void change(void) {
  ++written;
  asm volatile("incl asmNamed(%%rip)" : : : "memory");
}
NOINLINE int *where(void) { return &pointed; }
