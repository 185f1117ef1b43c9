// Ranges that overlap in part, sizes that differ, and copies that are not from the host to
// the device.
#include "cases.h"

CASE(lastByte, 4) { // a store to the last byte; behind it, it does not matter
  int *h = (int *)malloc(size + 1);
  fill(h, 1);
  DEVICE(d); ZEROS(e);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(((char *)h)[size - 1] = 1;)
  OTHERWISE(((char *)h)[size] = 1;)
  AGAIN;
}
// CHECK: lastByte: 2 4 34 16777344
// MAYGO: lastByte: 2 4 34 128

CASE(overlap, 5) { // the same half again, after a copy that overlaps it
  HOST(h, 1); DEVICE(d); ZEROS(e);
  int *other = d + n / 2;
  HAZARD(other = d + n / 4;)
  cudaMemcpy(d, h, size / 2, cudaMemcpyHostToDevice);
  add<<<1, n / 2>>>(e, d);
  cudaMemcpy(other, h, size / 2, cudaMemcpyHostToDevice);
  add<<<1, n / 2>>>(e, other);
  cudaMemcpy(d, h, size / 2, cudaMemcpyHostToDevice);
  add<<<1, n / 2>>>(e, d);
  show(__func__, e);
}
// CHECK: overlap: 3 6 51 0
// MAYGO: overlap: 3 6 51 0

CASE(otherSource, 4, 3) { // the same target, from four bytes further
  int *h = (int *)malloc(2 * size);
  fill(h, 1);
  fill(h + n, 1 + n);
  DEVICE(d); ZEROS(e);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(h += one;)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: otherSource: 3 5 35 129
// MAYGO: otherSource: 2 4 34 128

NOINLINE void copySome(int *d, const int *h, size_t bytes) {
  cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
}
CASE(sizes, 5, 4) { // the first copy is smaller, which an argument says
  HOST(h, 1); ZEROS(d); ZEROS(e);
  size_t less = 0;
  HAZARD(less = 4 * one;)
  copySome(d, h, size - less);
  add<<<1, n>>>(e, d);
  copySome(d, h, size);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: sizes: 2 4 34 64
// MAYGO: sizes: 2 4 34 128

CASE(noBytes, 4, 4) { // the first copy has no bytes, and is not counted
  HOST(h, 1); ZEROS(d); ZEROS(e);
  size_t bytes = size;
  HAZARD(bytes *= one - 1;)
  cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
  add<<<1, n>>>(e, d);
  cudaMemcpy(d, h, size, cudaMemcpyHostToDevice);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: noBytes: 1 2 17 64
// MAYGO: noBytes: 2 4 34 128

CASE(fromHost, 5, 3) { // a copy between buffers of the host stores to the source
  FIRST;
  HOST(g, 101);
  HAZARD(cudaMemcpy(h, g, size, cudaMemcpyHostToHost);)
  AGAIN;
}
// CHECK: fromHost: 102 104 134 228
// MAYGO: fromHost: 2 4 34 128

CASE(defaultKind, 5, 3) { // a copy of unnamed direction stores to the source
  FIRST;
  DEVICE(other);
  set<<<1, n>>>(other, 100);
  HAZARD(cudaMemcpy(h, other, size, cudaMemcpyDefault);)
  AGAIN;
}
// CHECK: defaultKind: 101 102 117 164
// MAYGO: defaultKind: 2 4 34 128

CASE(pitched, 5, 3) { // a copy with a pitch stores to one column of the source
  FIRST;
  DEVICE(other);
  set<<<1, n>>>(other, 100);
  HAZARD(cudaMemcpy2D(h, size / 4, other, size / 4, 4, 4, cudaMemcpyDeviceToHost);)
  AGAIN;
}
// CHECK: pitched: 101 4 117 128
// MAYGO: pitched: 2 4 34 128

CASE(oneColumn, 5) { // the first copy stores to one column only
  HOST(h, 1); ZEROS(d); ZEROS(e);
  size_t width = size / 4;
  HAZARD(width = 4;)
  cudaMemcpy2D(d, size / 4, h, size / 4, width, 4, cudaMemcpyHostToDevice);
  add<<<1, n>>>(e, d);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: oneColumn: 2 2 34 64
// MAYGO: oneColumn: 2 4 34 128

CASE(filledBetween, 5, 3) { // a fill of four bytes of the target
  FIRST;
  HAZARD(cudaMemset(d + 1, 0, 4);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: filledBetween: 3 4 51 192
// MAYGO: filledBetween: 3 6 51 192

CASE(filledTwice, 5) { // a fill with another byte, then with the first one
  DEVICE(d); ZEROS(e);
  cudaMemset(d, 1, size);
  add<<<1, n>>>(e, d);
  HAZARD(cudaMemset((char *)d + 4, 2, 1); add<<<1, n>>>(e, d);)
  OTHERWISE(add<<<1, n>>>(e, d);)
  cudaMemset(d, 1, size);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: filledTwice: 50529027 50529028 50529027 50529027
// MAYGO: filledTwice: 50529027 50529027 50529027 50529027

CASE(backFromOther, 5, 3) { // a copy of four bytes of another buffer to the source
  FIRST;
  HAZARD(cudaMemcpy(h + 1, e, 4, cudaMemcpyDeviceToHost);)
  AGAIN;
}
// CHECK: backFromOther: 2 3 34 128
// MAYGO: backFromOther: 2 4 34 128

int main(int argc, char **) {
  one = argc;
  lastByte();
  overlap();
  otherSource();
  sizes();
  noBytes();
  fromHost();
  defaultKind();
  pitched();
  oneColumn();
  filledBetween();
  filledTwice();
  backFromOther();
}
