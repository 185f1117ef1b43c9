#include "params.h"
#define NOINLINE __attribute__((noinline))
NOINLINE void fill(Params *p, int width) {
  p->width = width;
  p->height = 480;
  p->data = nullptr;
  p->blocks = 7;
}
static int checked;
NOINLINE void check(const Params *p) { checked += p->blocks; }
NOINLINE void fillOrThrow(Params *p, int argc) {
  if (argc < 3)
    throw argc;
  p->width = 1;
}
NOINLINE void fillAny(Params *p, int i, int width) {
  p->height = 1;
  (&p->width)[i] = width;
}
