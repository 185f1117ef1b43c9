#include "shared.h"
const int comparedB[4] = {1, 2, 3, 4};
const int *hidden(const int *p) {
  static const int *volatile place;
  place = p;
  return place;
}
Base *more() { return make<unsigned>(); }
long moreSum(int n) { return sum<long>(n) + sum<unsigned>(n); }
int moreRun() { return int(run<unsigned>()); }
