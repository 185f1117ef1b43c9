#pragma once
#include <cstdio>
using Kernel = void (*)(float *, int);
#define NAMES(X) \
  X(member, 70) X(newed, 80) X(nested, 90) X(filled, 100) X(second, 110) X(first, 120)
#define DECLARE(name, value) __global__ void name(float *, int);
NAMES(DECLARE)
struct Big { int block; const char *name; Kernel kernel; int shared; };
struct Two { Big first, second; };
struct Runner {
  Kernel kernel;
  int block;
  Runner(Kernel kernel, int block);
  void run(float *p, int n) const;
};
void launchBig(const Big &op, float *p, int n);
void launchSecond(const Two &two, float *p, int n);
void fill(Two *two, Kernel k);
void fillBoth(Two *two, Kernel k);
void fillSame(Big &a, Big &b);
