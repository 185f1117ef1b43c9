#include "solver.h"
NOINLINE Solver::Solver() : n(0), m(480) {}
NOINLINE void launchTwice(Solver *a, const Solver *b) {
  a->n += 703;
  NoTwice<<<1, 1>>>(out, b->n);
  print("NoTwice");
}
NOINLINE void Solver::runTwice(int n) {
  this->n = n;
  launchTwice(this, this);
}
static Result *keptResult;
NOINLINE void keepResult(Result *r) { keptResult = r; }
NOINLINE static void fillResult(Result *r, int n) { r->n = n; }
NOINLINE static void changeResult(int n) { keptResult->n = n; }
NOINLINE Result makeResult(int n) {
  Result r;
  keepResult(&r);
  fillResult(&r, 1);
  changeResult(n);
  return r;
}
