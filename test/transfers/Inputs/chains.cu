// Copies that hang together: there and back again, through other buffers, and over each other.
#include "cases.h"

__global__ void setOne(int *to, int index, int value) { to[index] = value; }

CASE(roundTrip, 2, 1) { // a kernel stores to one element before all is copied back
  HOST(h, 1); DEVICE(d);
  COPY_IN(d, h);
  HAZARD(setOne<<<1, 1>>>(d, one, 9);)
  COPY_OUT(h, d);
  print(__func__, h);
}
// CHECK: roundTrip: 1 9 17 64
// MAYGO: roundTrip: 1 2 17 64

CASE(roundTrips, 6, 5) { // in a loop, and the host stores to what came back
  HOST(h, 1); DEVICE(d);
  for (int i = 0; i < 3; ++i) {
    COPY_IN(d, h);
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(h[1] *= 2;)
  }
  print(__func__, h);
}
// CHECK: roundTrips: 4 30 20 67
// MAYGO: roundTrips: 4 5 20 67

CASE(throughOther, 3) { // a kernel stores to the buffer in the middle
  HOST(h, 1); DEVICE(d); DEVICE(other);
  COPY_IN(d, h);
  cudaMemcpy(other, d, size, cudaMemcpyDeviceToDevice);
  HAZARD(increase<<<1, n>>>(other);)
  COPY_OUT(h, other);
  print(__func__, h);
}
// CHECK: throughOther: 2 3 18 65
// MAYGO: throughOther: 1 2 17 64

CASE(otherChanges, 5, 4) { // the buffer in the middle is what it was, but not its source
  HOST(h, 1); DEVICE(d); DEVICE(other); ZEROS(e);
  COPY_IN(d, h);
  cudaMemcpy(other, d, size, cudaMemcpyDeviceToDevice);
  add<<<1, n>>>(e, other);
  HAZARD(increase<<<1, n>>>(d);)
  cudaMemcpy(other, d, size, cudaMemcpyDeviceToDevice);
  add<<<1, n>>>(e, other);
  show(__func__, e);
}
// CHECK: otherChanges: 3 5 35 129
// MAYGO: otherChanges: 2 4 34 128

CASE(swapped, 6, 4) { // two buffers change places in each round
  HOST(h, 1); DEVICE(d); DEVICE(other); ZEROS(e);
  for (int i = 0; i < 4; ++i) {
    COPY_IN(d, h);
    add<<<1, n>>>(e, d);
    HAZARD(increase<<<1, n>>>(d); int *last = d; d = other; other = last;)
  }
  HAZARD(add<<<1, n>>>(e, d);)
  show(__func__, e);
}
// CHECK: swapped: 6 11 86 321
// MAYGO: swapped: 4 8 68 256

CASE(overwrittenInPart, 3, 2) { // the second copy has fewer bytes
  HOST(h, 1); HOST(g, 101); DEVICE(d);
  COPY_IN(d, h);
  cudaMemcpy(d, g, size HAZARD(- 4), cudaMemcpyHostToDevice);
  show(__func__, d);
}
// CHECK: overwrittenInPart: 101 102 117 64
// MAYGO: overwrittenInPart: 101 102 117 164

CASE(hostOverwritesPart, 1) { // the host stores to all but one element of the target
  DEVICE(d);
  int *h = (int *)malloc(size);
  set<<<1, n>>>(d, 3);
  COPY_OUT(h, d);
  for (int i = 0 HAZARD(+ one); i < n; ++i) h[i] = i;
  print(__func__, h);
}
// CHECK: hostOverwritesPart: 3 1 16 63
// MAYGO: hostOverwritesPart: 0 1 16 63

CASE(filledInPart, 3, 2) { // a fill overwrites all but one element
  HOST(h, 1); DEVICE(d);
  COPY_IN(d, h);
  cudaMemset(d, 0, size HAZARD(- 4 * one));
  show(__func__, d);
}
// CHECK: filledInPart: 0 0 0 64
// MAYGO: filledInPart: 0 0 0 0

CASE(fillThenPart, 3, 2) { // a copy overwrites all but one element of a fill
  HOST(h, 1); DEVICE(d);
  cudaMemset(d, 0, size);
  cudaMemcpy(d, h, size HAZARD(- 4 * one), cudaMemcpyHostToDevice);
  show(__func__, d);
}
// CHECK: fillThenPart: 1 2 17 0
// MAYGO: fillThenPart: 1 2 17 64

// One byte of the second copy is left, for its result: it needs what the first one copies.
CASE(askedForResult, 1-2) {
  HOST(h, 1); DEVICE(d);
  COPY_IN(d, h);
  if (cudaMemcpyAsync(h, d, size, cudaMemcpyDeviceToHost, 0)) exit(1);
  cudaDeviceSynchronize();
  print(__func__, h);
}
// CHECK: askedForResult: 1 2 17 64
// MAYGO: askedForResult: 1 2 17 64

int main(int argc, char **) {
  one = argc;
  roundTrip();
  roundTrips();
  throughOther();
  otherChanges();
  swapped();
  overwrittenInPart();
  hostOverwritesPart();
  filledInPart();
  fillThenPart();
  askedForResult();
}
