#include "kernels.h"
using Launcher = void(int *, const int *, int);
static Launcher *volatile taken;
int main(int argc, char **argv) {
  int *a = allocate(), *b = allocate(), *c = allocate();
  launchTwo(a, b, 1);
  launchTwo(b, a, 2);
  launchTwo(c, b, 3);
  {
    Array x, y;
    launchObjects(x, y, 4);
    launchObjects(y, x, 5);
  }
  int *d = allocate(), *e = allocate();
  launchNoSame(d, e, 6);
  launchNoSame(d, d, 7);
  int *f = allocate(), *g = allocate();
  taken = launchNoTaken;
  launchNoTaken(f, g, 8);
  taken(g, f, 9);
  int *last = allocate();
  for (int i = 0; i <= argc; ++i) {
    int *next = allocate();
    launchNoLoop(next, last, 10 + i);
    last = next;
  }
}
