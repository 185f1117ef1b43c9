#pragma once
#include <cstdio>
#define KERNELS(X) X(field) X(zeroed) X(member) X(NoReplaced)
#define DECLARE(name) __global__ void name(int *out, const int *in, int n);
KERNELS(DECLARE)
struct State {
  int *out, *in;
  int n;
};
void launchField(const State *s);
void launchReplaced(const State *s);
void replace(State *s, int *with);
void print(const char *what, int *from);
