#pragma once
#define NOINLINE __attribute__((noinline))
NOINLINE int work(int n);
template <class T> NOINLINE int inner(T *p, int n) {
  p[n] += work(n) * 3;
  return int(p[n]) + n;
}
template <class T> struct Box {
  T values[8] = {};
  NOINLINE int get(int n) {
    values[n] = values[n] * 5 + work(n + 1);
    return int(values[n]) % 7;
  }
};
NOINLINE int other(int n);
