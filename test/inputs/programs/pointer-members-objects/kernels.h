#pragma once
#include "check.h"
struct Params { float *a; float *b; int n; };
__global__ void global(Params p);
__global__ void constructed(Params p);
__global__ void onHeap(Params p);
__global__ void ofModel(Params p);
class Solver {
public:
  explicit Solver(int n);
  ~Solver();
  void run();
  float *a, *b;
  int n;
};
class Model {
public:
  explicit Model(int n);
  virtual ~Model();
  virtual int size() const;
  void run();
  float *a, *b;
  int n;
};
struct Buffers { Buffers(int n); Params p; };
