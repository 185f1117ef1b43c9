#include "all.h"
Kernel pick(int i) { return i ? right : left; }
Kernel stored = third;
__attribute__((noinline)) void choose(int i) {
  if (i < 5)
    stored = i ? third : fourth;
}
