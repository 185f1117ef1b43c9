#include "solver.h"
NOINLINE Solver::Solver() : n(0), m(480) {}
NOINLINE void Solver::run(int n) {
  this->n = n;
  launch();
}
NOINLINE void Solver::launch() {
  passed<<<1, 1>>>(out, n);
  print("passed");
  other<<<1, 1>>>(out, m);
  print("other");
}
NOINLINE void Solver::init(int n) { this->n = n; }
NOINLINE void Solver::runAfter(int n) {
  init(n);
  after<<<1, 1>>>(out, this->n);
  print("after");
}
NOINLINE void Params::set(int w) { width = w; }
NOINLINE void Params::launch() {
  member<<<1, 1>>>(out, width);
  print("member");
}
NOINLINE void Solver::runMember(int n) {
  params.set(n);
  params.launch();
}
NOINLINE void Solver::runNested(int n) {
  init(n - 1);
  init(n);
  launchNested();
}
NOINLINE void Solver::launchNested() {
  nested<<<1, 1>>>(out, n);
  print("nested");
}
