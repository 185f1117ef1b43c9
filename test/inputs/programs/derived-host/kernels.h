#pragma once
#include "check.h"
struct Params { int n, m; };
#define KERNELS(X) X(layers) X(shifted) X(NoSame) X(NoEither) X(NoElement) X(NoChanged) X(NoWritten)
#define DECLARE(name) __global__ void name(float *out, const float *in, int n);
KERNELS(DECLARE)
void layer(float *acts, const float *weights, int i);
void unaligned(float *acts, const float *weights, int i);
void same(float *acts, int i, int j);
void either(float *a, float *b, int i);
void element(float *out, const Params *p, int i);
void change(Params *p, int i);
void write(Params *p, int i, int n);
