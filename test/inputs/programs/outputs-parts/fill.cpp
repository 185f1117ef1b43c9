#include "params.h"
#define NOINLINE __attribute__((noinline))
NOINLINE void fill(Params *p, int width) {
  p->width = width;
  p->height = 480;
  p->data = nullptr;
  p->blocks = 7;
}
NOINLINE void fillTwoThirds(Params *p, int width) {
  p->width = width;
  p->height = 480;
}
NOINLINE void fillThird(Params *p, int width) { p->blocks = width; }
