#include "program.h"
void launchBytes(uchar4 d, int *out) { bytes<<<1, 1>>>(d, out); }
void launchHigh(int2 d, int *out) { high<<<1, 1>>>(d, out); }
void launchLow(int2 d, int *out) { low<<<1, 1>>>(d, out); }
void launchMixed(int2 d, int block, int *out) { mixed<<<1, block>>>(d, out); }
void launchDiffers(int2 d, int *out) { differs<<<1, 1>>>(d, out); }
Pair makePair(int n) { return {n, 64}; }
Options parse(int count) {
  Options options;
  if (count > 5)
    options.n = strtol("3", nullptr, count);
  return options;
}
