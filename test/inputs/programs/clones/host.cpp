#include "helpers.h"
static __attribute__((noinline)) int foldInner(int (*f)(int, int), const int *p, int n) {
  int r = p[0];
  for (int i = 1; i < n; ++i)
    r = f(r, p[i]);
  return r;
}
__attribute__((noinline)) int fold(int (*f)(int, int), const int *p, int n) {
  return foldInner(f, p, n);
}
