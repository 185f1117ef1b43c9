#pragma once
#include <cstdio>
#define KERNELS(X) X(two) X(objects) X(NoSame) X(NoTaken) X(NoLoop)
#define DECLARE(name) __global__ void name(int *out, const int *in, int n);
KERNELS(DECLARE)
#define NOINLINE __attribute__((noinline))
struct Array {
  int *data;
  Array();
  ~Array();
};
void launchTwo(int *out, const int *in, int n);
void launchObjects(Array &out, const Array &in, int n);
void launchNoSame(int *out, const int *in, int n);
void launchNoTaken(int *out, const int *in, int n);
void launchNoLoop(int *out, const int *in, int n);
int *allocate();
