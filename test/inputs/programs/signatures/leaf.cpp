#include "shared.h"
#define NOINLINE __attribute__((noinline))
static volatile int zero;
NOINLINE int report(FILE *to, int what, int n) {
  fprintf(to, "%d %d\n", what, n);
  return n + zero;
}
NOINLINE int get(const int *p) { return *p; }
NOINLINE int unused(int n, void *, int m) { return n + m + zero; }
NOINLINE int many(int, int, int n, int, int, int, int, int, int m) {
  return n + m + zero;
}
NOINLINE int thrower(int n, int) { throw n + zero; }
NOINLINE int again(int n, int *nothing) {
  return n <= zero ? 0 : n + again(n - 1, nothing);
}
