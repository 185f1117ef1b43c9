#pragma once
#include <stdexcept>
#define NOINLINE __attribute__((noinline))
// Landing pads that are equal, and others.
NOINLINE void thrower(int what);
struct Cleanup {
  int &log;
  ~Cleanup() { log = log * 10 + 1; }
};
template <int N> NOINLINE int catches(int what, int log) {
  try {
    Cleanup cleanup{log};
    thrower(what);
  } catch (const std::exception &) {
    return log * 2;
  }
  return log * 3;
}
template <class T> NOINLINE int caught(int what) {
  try {
    thrower(what);
  } catch (T &) {
    return 1;
  } catch (...) {
    return 2;
  }
  return 3;
}
// Own variables.
template <int N> NOINLINE int countLocal() {
  static int counter;
  return ++counter;
}
template <int N> NOINLINE int threadLocal() {
  static thread_local int counter = 5;
  return counter += 2;
}
template <int N> NOINLINE const char *message(int i) {
  static const char *const kTexts[] = {N == 1 ? "one" : "two", "three"};
  return kTexts[i & 1];
}
// Not compiled alike.
template <int N> NOINLINE int target1(const int *p) { return p[1] * 5 + p[2]; }
template <int N> NOINLINE __attribute__((target("avx2"))) int target2(const int *p) { return p[1] * 5 + p[2]; }
NOINLINE int more(int argument);
