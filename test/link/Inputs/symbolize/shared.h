#pragma once
#define NOINLINE __attribute__((noinline))
NOINLINE int walk(int n);
NOINLINE int more(int n);
template <class T> NOINLINE int inner(T *p, int n) {
  p[n] += walk(n) * 3;
  return int(p[n]) + n;
}
template <class T> NOINLINE int outer(T *p, int n) {
  p[n] = p[n] * 5 + inner(p, n + 1) % 7;
  return int(p[n]) % 11;
}
