// A library: what calls it, and stores to its buffers, is not seen.
#include "cases.h"

int exported[n];
static int hidden[n], *d, *e;
extern "C" int *hiddenBuffer() { return hidden; }

CASE(start, 1) {
  fill(exported, 1);
  fill(hidden, 1);
  cudaMalloc(&d, size);
  cudaMalloc(&e, size);
  cudaMemset(e, 0, size);
  NO_TAIL_CALL;
}

__constant__ int value = 5;
__global__ void useValue(int *to) { to[threadIdx.x] = 10 * to[threadIdx.x] + value; }
static const int seven = 7;
CASE(setValue, 1) {
  cudaMemcpyToSymbol(value, &seven, 4);
  NO_TAIL_CALL;
}
CASE(useValueTwice, 4) { // the first time before the variable is set
  useValue<<<1, n>>>(e);
  show(__func__, e);
  cudaMemset(e, 0, size);
  NO_TAIL_CALL;
}
// CHECK: useValueTwice: 5 5 5 5
// CHECK: useValueTwice: 7 7 7 7

CASE(fromExported, 3) { // it copies from and to a variable that others can name
  COPY_IN(d, exported);
  add<<<1, n>>>(e, d);
  show(__func__, e);
  increase<<<1, n>>>(e);
  COPY_OUT(exported, e);
  NO_TAIL_CALL;
}
// CHECK: fromExported: 1 2 17 64
// CHECK: main reads 3

CASE(fromHidden, 6) { // a buffer whose address it has given away, in two calls
  COPY_IN(d, hidden);
  add<<<1, n>>>(e, d);
  show(__func__, e);
  COPY_OUT(hidden, e);
  NO_TAIL_CALL;
}
// CHECK: fromHidden: 3 12 35 129
// CHECK: main reads 12
// CHECK: fromHidden: 6 21 70 258
// CHECK: main reads 21
