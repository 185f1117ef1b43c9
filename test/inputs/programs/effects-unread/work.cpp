#include "state.h"
__attribute__((noinline)) int work(int n) { return last = n, 2 * n; }
__attribute__((noinline)) int filled(int n) {
  for (int i = 0; i < 4; ++i)
    history[i] = n;
  return 2 * n;
}
int asVolatile(int n) { return watched = n, n; }
int asAtomic(int n) { return published = n, n; }
int forNative(int n) { return shared = n, n; }
int forAssembly(int n) { return named = n, n; }
#ifndef LIBRARY
int readNamed() {
  int value;
  asm volatile("movl named(%%rip), %0" : "=r"(value) : : "memory");
  return value;
}
#endif
int kept(int n) { return address = n, n; }
int readToo(int n) { return counted = n, n; }
