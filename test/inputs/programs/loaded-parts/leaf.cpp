#include "shared.h"
#define NOINLINE __attribute__((noinline))
static volatile int zero;
NOINLINE double area(const Box &box) {
  if (zero)
    return 0;
  return box.width * box.height;
}
NOINLINE void throw_(const Box &box, int) {
  int id = box.id;
  id += zero; // the exception is made later
  throw id;
}
NOINLINE const char *nameOf(const Box *box) { return box->name; }
NOINLINE int after(const int &a, int *b) {
  *b = 3;
  return a + zero;
}
NOINLINE int maybe(const int *p, int n) { return n + zero ? *p : 0; }
NOINLINE long large(const Large &l) { return l.a + l.b + l.c + zero; }
NOINLINE int taken(const int &n) { return n + zero; }
int (*pointer)(const int &) = taken;
// What a loaded pointer leads to becomes memory of an argument.
NOINLINE void count(const Context &context, int n) {
  *context.sum += n;
  ++*context.count;
}
