#pragma once
#include <cstdio>
#include <cstring>
using Kernel = void (*)(float *, int);
#define NAMES(X) \
  X(compared, 130) X(picked, 131) X(native, 140) X(called, 141) X(number, 145) \
  X(copied, 155) X(locked, 165) X(swapped, 175)
#define DECLARE(name, value) __global__ void name(float *, int);
NAMES(DECLARE)
Kernel *nativeSlot(Kernel *slot);
extern "C" Kernel fromNative(int i);
Kernel forNative(int i);
Kernel byAddress(int i);
