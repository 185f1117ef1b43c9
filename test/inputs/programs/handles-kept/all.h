#pragma once
#include <cstdio>
#include <cstring>
using Kernel = void (*)(float *, int);
#define NAMES(X) X(front, 10) X(back, 8) X(left, 19) X(right, 20) X(first, 30) X(second, 40) \
  X(third, 40) X(fourth, 50)
#define DECLARE(name, value) __global__ void name(float *, int);
NAMES(DECLARE)
Kernel pick(int i);
extern Kernel stored;
void choose(int i);
