#include "solver.h"
NOINLINE Solver::Solver() : n(0), m(480) {}
NOINLINE void Solver::init(int n) { this->n = n; }
static Solver *global;
NOINLINE void setGlobal(Solver *s) { global = s; }
NOINLINE void throwing(Solver *s, int n) {
  if (n < 3)
    throw n;
  s->n = 1;
}
NOINLINE void Solver::runThrow(int n) {
  this->n = n + 1;
  try {
    throwing(this, n);
  } catch (int) {
  }
  NoThrow<<<1, 1>>>(out, this->n);
  print("NoThrow");
}
NOINLINE void Solver::runWrite(int n) {
  this->n = n;
  init(n + global->m);
  launchWrite();
}
NOINLINE void Solver::launchWrite() {
  NoWrite<<<1, 1>>>(out, n);
  print("NoWrite");
}
