#include "all.h"
#define DEFINE(name, value) __global__ void name(float *p, int n) { *p = value + n; }
NAMES(DEFINE)
Op makeSmall() { return {&small, 256}; }
Op makeValue() { return {&value, 128}; }
Big makeBig() { return {64, "big", &big, 0}; }
std::pair<Kernel, int> makePair() { return {pair, 1}; }
std::tuple<Kernel, int> makeTuple() { return {tuple, 1}; }
