#include "shared.h"
__attribute__((noinline)) void tiniest(const char *what) { puts(what); }
static volatile int twenty = 20;
static int fill() {
  int sum = 0;
  for (int i = 0; i < twenty; ++i)
    sum += i;
  return sum;
}
static int filled = fill();
__attribute__((noinline)) int table() { return filled; }
