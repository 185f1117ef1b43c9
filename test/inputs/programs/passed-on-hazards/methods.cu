#include "solver.h"
NOINLINE Solver::Solver() : n(0), m(480) {}
NOINLINE void Solver::runContext(int n) {
  this->n = n;
  launchContext();
}
NOINLINE void Solver::launchContext() {
  NoContext<<<1, 1>>>(out, n);
  print("NoContext");
}
NOINLINE void Solver::runNative(int n) {
  this->n = 708;
  m = n;
  launchNative();
}
NOINLINE void Solver::launchNative() {
  NoNative<<<1, 1>>>(out, n);
  print("NoNative");
}
extern "C" NOINLINE void runFromNative(Solver *s, int n) { s->runNative(n); }
