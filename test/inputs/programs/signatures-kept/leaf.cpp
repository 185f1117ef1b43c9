#include "shared.h"
#include <cstdarg>
#define NOINLINE __attribute__((noinline))
static volatile int zero;
NOINLINE int taken(int) { return 2 + zero; }
int (*pointer)(int) = taken;
NOINLINE int byNative(int) { return 3 + zero; }
NOINLINE int fromOpen(int) { return 4 + zero; }
NOINLINE int copied(Big) { return 6 + zero; }
NOINLINE int tail(int n, int *) { return n + zero; }
NOINLINE int tails(int n, int *nothing) {
  [[clang::musttail]] return tail(n, nothing);
}
NOINLINE int Base::run(int) { return 8 + zero; }
Base *make() { return new Base; }
NOINLINE int kandr(int n, int) { return n; }
NOINLINE int printAll(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int count = vprintf(format, list);
  va_end(list);
  return count;
}
