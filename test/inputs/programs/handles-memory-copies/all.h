#pragma once
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>
using Kernel = void (*)(float *, int);
#define NAMES(X) X(copied, 60) \
  X(half, 70) X(taken, 80) X(chosen, 90) X(listed, 100) X(mapped, 110) X(returned, 120)
#define DECLARE(name, value) __global__ void name(float *, int);
NAMES(DECLARE)
struct Op { int block; const char *name; Kernel kernel; };
void launch(const Op &op, float *p, int n);
void fill(Op *op, Kernel k);
void refill(Op *op, Kernel k);
Op &refer(Op &op);
void list(std::vector<Op> &ops);
void map(std::map<int, Op> &ops);
