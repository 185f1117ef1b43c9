#include "kernels.h"
Buffers::Buffers(int n) {
  CHECK(cudaMalloc(&this->p.a, 64));
  CHECK(cudaMalloc(&this->p.b, 64));
  p.n = n;
}
Solver::Solver(int n) : n(n) {
  CHECK(cudaMalloc(&a, 64));
  CHECK(cudaMalloc(&b, 64));
}
Solver::~Solver() { cudaFree(a); cudaFree(b); }
void Solver::run() { onHeap<<<1, 1>>>(Params{a, b, n}); }
Model::Model(int n) : n(n) {
  CHECK(cudaMalloc(&a, 64));
  CHECK(cudaMalloc(&b, 64));
}
Model::~Model() { cudaFree(a); cudaFree(b); }
int Model::size() const { return n; }
void Model::run() { ofModel<<<1, 1>>>(Params{a, b, n}); }
