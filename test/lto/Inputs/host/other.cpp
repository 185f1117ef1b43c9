// One of three files; see shared.h.
#include "shared.h"

static Noisy staticNoisy("other.cpp");
__attribute__((constructor(205))) static void early() {
  puts("ctor 205 other");
}
__attribute__((destructor)) static void bye() { puts("dtor other"); }

thread_local int plainThreadLocal = 3;
thread_local PerThread perThread(7);

static int hiddenState = 50;
static int helper(int x) { return x * 30 + hiddenState++; }
int useStatics(int x) { return helper(x) + ++sharedCounter(); }
int weakOverridden() { return 2; }

namespace {
struct Circle : Shape {
  int sides() const override { return 100; }
};
} // namespace
Shape *makeShape(int kind) {
  static Circle circle;
  static Square square;
  static Polygon<6> polygon;
  if (kind == 0)
    return &circle;
  return kind == 1 ? static_cast<Shape *>(&square) : &polygon;
}

extern "C" {
int realExtern(int x) { return x + 100; }
int aliasOfExtern(int) __attribute__((alias("realExtern")));
static int realStatic(int x) { return x + 200; }
int aliasOfStatic(int) __attribute__((alias("_ZL10realStatici")));
int weakAlias(int) __attribute__((weak, alias("realExtern")));
static int choice(int x) { return x + 300; }
static int (*resolveChoice())(int) { return choice; }
int chosenByIfunc(int) __attribute__((ifunc("_ZL13resolveChoicev")));
int data[4] = {1, 2, 3, 4};
extern int dataAlias[4] __attribute__((alias("data")));
}
int readAlias(int x) { return dataAlias[x] + data[x - 1]; }

__attribute__((noinline)) int jump(int op, int value) {
  static void *const table[] = {&&minus, &&increment, &&twice};
  goto *table[op % 3];
increment:
  return value + 1;
twice:
  return value * 2;
minus:
  return value - 3;
}
__attribute__((used, section("walked"))) static int walked1 = 22;
