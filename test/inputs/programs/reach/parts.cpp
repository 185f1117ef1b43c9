#include "parts.h"
void head(int *p) {
  p[0] = 1;
  p[3] = 2;
}
void passOn(int *p) {
  p[0] = 3;
  head(p);
}
void reachFarther(int *p) {
  head(p);
  p[4] = 77;
}
void index(int *p, int i) { p[i] = 9; }
void callItself(int *p, int depth) {
  if (depth)
    callItself(p + 1, depth - 1);
  p[0] += 10;
}
static int *kept;
void save(int *p) { kept = p; }
void changeSaved() { kept[4] = 78; }
