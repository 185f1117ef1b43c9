#pragma once
#include <cstdio>
#include <cstdlib>
struct Size {
  size_t bytes;
};
struct Pair {
  int n, block;
};
struct Options {
  int n = 32, block = 96;
  bool isVerbose = false;
};
#define KERNELS(X) X(high) X(low) X(mixed) X(differs) X(pair)
#define DECLARE(name) __global__ void name(int2 d, int *out);
KERNELS(DECLARE)
__global__ void wide(Size size, int *out);
__global__ void bytes(uchar4 d, int *out);
void launchBytes(uchar4 d, int *out);
void launchHigh(int2 d, int *out);
void launchLow(int2 d, int *out);
void launchMixed(int2 d, int block, int *out);
void launchDiffers(int2 d, int *out);
Pair makePair(int n);
Options parse(int count);
