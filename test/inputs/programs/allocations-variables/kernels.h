#pragma once
#include <cstdio>
#define KERNELS(X) X(global) X(NoSame) X(NoOther) X(NoSwap) X(NoNative) X(NoAddress) X(NoPartly) X(NoNumber)
#define DECLARE(name) __global__ void name(int *out, const int *in, int n);
KERNELS(DECLARE)
extern int *out, *in, *other, *left, *right, *byNative, *addressed, *partly;
extern int number, changing;
void launchGlobals();
void print(const char *what, int *from);
extern "C" void setNative(int *with);
