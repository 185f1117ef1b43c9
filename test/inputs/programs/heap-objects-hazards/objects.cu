#include "objects.h"
NOINLINE Solver::Solver() : n(0), m(480) { cudaMalloc(&data, 256); }
NOINLINE Solver::~Solver() { cudaFree(data); }
NOINLINE void Solver::setSize(int n) { this->n = n; }
static Solver *kept;
NOINLINE void Solver::keep() { kept = this; }
NOINLINE void changeKept(int n) { kept->n = n; }
NOINLINE Solver *make() { return new Solver; }
