#include "params.h"
#define NOINLINE __attribute__((noinline))
NOINLINE void fill(Params *p, int width) {
  p->width = width;
  p->height = 480;
  p->data = nullptr;
  p->blocks = 7;
}
NOINLINE void maybeFill(Params *p, int argc) {
  if (argc > 1)
    p->width = 640;
}
NOINLINE void change(Params *p, int width) { p->width = width; }
static Params *address;
NOINLINE void keep(Params *p) { address = p; }
NOINLINE void changeKept(int width) { address->width = width; }
NOINLINE void both(Params *a, Params *b, int width) {
  a->width = 1;
  b->width = width + 0;
}
