#include "solver.h"
NOINLINE Solver::Solver() : n(0), m(480) {}
NOINLINE void Solver::runHeap(int n) {
  this->n = n;
  launchHeap();
}
NOINLINE void Solver::launchHeap() {
  NoHeap<<<1, 1>>>(out, n);
  print("NoHeap");
}
static Solver *global;
NOINLINE void setGlobal(Solver *s) { global = s; }
NOINLINE void changeGlobal(int n) { global->n = n; }
NOINLINE void Solver::runGlobal(int n) {
  this->n = n;
  changeGlobal(n + 700);
  launchGlobal();
}
NOINLINE void Solver::launchGlobal() {
  NoGlobal<<<1, 1>>>(out, n);
  print("NoGlobal");
}
static Solver *kept;
NOINLINE void keep(Solver *s) { kept = s; }
NOINLINE void changeKept(int n) { kept->n = n; }
NOINLINE void Solver::runKept(int n) {
  keep(this);
  this->n = n;
  changeKept(n + 701);
  launchKept();
}
NOINLINE void Solver::launchKept() {
  NoKept<<<1, 1>>>(out, n);
  print("NoKept");
}
