#pragma once
#include <cstdio>
#include <tuple>
#include <utility>
using Kernel = void (*)(float *, int);
#define NAMES(X) X(small, 10) X(value, 20) X(big, 30) X(bigValue, 40) X(pair, 50) X(tuple, 60)
#define DECLARE(name, value) __global__ void name(float *, int);
NAMES(DECLARE)
struct Op { Kernel kernel; int block; };
struct Big { int block; const char *name; Kernel kernel; int shared; };
Op makeSmall();
Op makeValue();
Big makeBig();
std::pair<Kernel, int> makePair();
std::tuple<Kernel, int> makeTuple();
void launch(const Op &op, float *p, int n);
void launchValue(Op op, float *p, int n);
void launchBig(const Big &op, float *p, int n);
void launchBigValue(Big op, float *p, int n);
void launchPair(const std::pair<Kernel, int> &op, float *p, int n);
void launchTuple(const std::tuple<Kernel, int> &op, float *p, int n);
