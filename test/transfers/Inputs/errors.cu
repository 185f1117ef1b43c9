// Copies that fail, copies that report what failed before, and what a reset takes away.
#include "cases.h"

void tell(const char *name, cudaError_t error) {
  printf("%s: %s\n", name, cudaGetErrorName(error));
}

CASE(failsTwice, 1) { // a copy that fails makes nothing equal: the second one fails, too
  int *h = (int *)calloc(2, size);
  ZEROS(d);
  tell(__func__, cudaMemcpy(d, h, size + 4, cudaMemcpyHostToDevice));
  tell(__func__, cudaMemcpy(d, h, size + 4, cudaMemcpyHostToDevice));
  tell(__func__, cudaGetLastError());
  add<<<1, n>>>(d, d);
}
// CHECK: failsTwice: cudaErrorInvalidValue
// CHECK: failsTwice: cudaErrorInvalidValue
// CHECK: failsTwice: cudaErrorInvalidValue

CASE(firstFails, 4) { // the first of two equal copies has failed, which nobody asks
  HOST(h, 1); ZEROS(d); ZEROS(e);
  int *to = d;
  HAZARD(if (one) to = nullptr;)
  COPY_IN(to, h);
  add<<<1, n>>>(e, d);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
  tell(__func__, cudaGetLastError());
}
// CHECK: firstFails: 1 2 17 64
// CHECK: firstFails: cudaErrorInvalidValue
// MAYGO: firstFails: 2 4 34 128
// MAYGO: firstFails: cudaSuccess

CASE(deadFails, 0) { // a copy that nobody reads reports no error of its own, unless it is known
  int *h = (int *)calloc(2, size);
  DEVICE(d);
  cudaMemcpy(d, h, size HAZARD(+ 4 * one), cudaMemcpyHostToDevice);
  tell(__func__, cudaGetLastError());
  cudaFree(d);
}
// CHECK: deadFails: cudaSuccess
// MAYGO: deadFails: cudaSuccess

__device__ int unread[n];
CASE(knownToFail, 0) { // nobody reads what they write, but each of them fails
  int *h = (int *)calloc(2, size);
  DEVICE(d); DEVICE(e);
  cudaMemcpy(d, h, size + 1, cudaMemcpyHostToDevice);
  tell(__func__, cudaGetLastError());
  cudaMemcpy(h, d + 1, size, cudaMemcpyDeviceToHost);
  tell(__func__, cudaGetLastError());
  cudaMemset(d, 0, (size_t)1 << 40);
  tell(__func__, cudaGetLastError());
  cudaMemcpyAsync(d, h, 16, (cudaMemcpyKind)77, 0);
  tell(__func__, cudaGetLastError());
  cudaMemcpyToSymbol(unread, h, 8, size - 4, cudaMemcpyHostToDevice);
  tell(__func__, cudaGetLastError());
  cudaMemcpyFromSymbol(h, unread, size + 4, 0, cudaMemcpyDeviceToHost);
  tell(__func__, cudaGetLastError());
  cudaMemcpy2D(d, 4, h, 8, 8, 2, cudaMemcpyHostToDevice);
  tell(__func__, cudaGetLastError());
  cudaMemset2D(e, 4, 0, 8, 2);
  tell(__func__, cudaGetLastError());
  cudaFree(d); cudaFree(e); free(h);
}
// CHECK-COUNT-3: knownToFail: cudaErrorInvalidValue
// CHECK: knownToFail: cudaErrorInvalidMemcpyDirection
// CHECK-COUNT-2: knownToFail: cudaErrorInvalidValue
// CHECK: knownToFail: cudaErrorInvalidPitchValue
// CHECK: knownToFail: cudaErrorInvalidValue
// MAYGO-COUNT-3: knownToFail: cudaErrorInvalidValue
// MAYGO: knownToFail: cudaErrorInvalidMemcpyDirection
// MAYGO-COUNT-2: knownToFail: cudaErrorInvalidValue
// MAYGO: knownToFail: cudaErrorInvalidPitchValue
// MAYGO: knownToFail: cudaErrorInvalidValue

CASE(knownNotToOverwrite, 4) { // copies that fail neither overwrite what was there, nor make it equal
  HOST(h, 1); HOST(g, 5); DEVICE(d); DEVICE(e);
  COPY_IN(d, h);
  cudaMemset(d, 0, size HAZARD(+ 1));
  COPY_IN(e, g);
  add<<<1, n>>>(e, d);
  cudaMemcpy(d, g, size, HAZARD((cudaMemcpyKind)77) OTHERWISE(cudaMemcpyHostToDevice));
  COPY_IN(d, g);
  add<<<1, n>>>(e, d);
  show(__func__, e);
  cudaGetLastError();
}
// CHECK: knownNotToOverwrite: 11 14 59 200
// MAYGO: knownNotToOverwrite: 10 12 42 136

static int *known;
NOINLINE void allocate() { cudaMalloc(&known, size); }
CASE(knownElsewhere, 4) { // nor do more bytes than what another function allocated has, or than any memory
  HOST(h, 1); HOST(g, 5); ZEROS(e);
  allocate();
  COPY_IN(known, h);
  cudaMemset(known, 0, size HAZARD(+ 4));
  add<<<1, n>>>(e, known);
  COPY_IN(known, g);
  cudaMemcpy(known, h, HAZARD((size_t)1 << 40) OTHERWISE(size), cudaMemcpyHostToDevice);
  add<<<1, n>>>(e, known);
  show(__func__, e);
  cudaGetLastError();
}
// CHECK: knownElsewhere: 6 8 38 132
// MAYGO: knownElsewhere: 1 2 17 64

CASE(checked, 4, 3) { // the program would end if the second copy failed, and asks that of both
  HOST(h, 1); DEVICE(d); ZEROS(e);
  size_t bytes = size;
  HAZARD(bytes = 4 * one;)
  if (cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice)) exit(1);
  add<<<1, 1>>>(e, d);
  if (cudaMemcpy(d, h, size, cudaMemcpyHostToDevice)) exit(1);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: checked: 2 2 17 64
// MAYGO: checked: 2 2 17 64

__global__ void fault(const int *from) {
  if (from[threadIdx.x] == 2) __trap();
}
CASE(returnsFault, 2) { // a copy that copies nothing new returns the error of a kernel
  FIRST;
  HAZARD(fault<<<1, n>>>(d);)
  tell(__func__, COPY_IN(d, h));
  HAZARD(cudaDeviceReset();)
}
// CHECK: returnsFault: cudaErrorLaunchFailure
// MAYGO: returnsFault: cudaSuccess

CASE(findsFault, 2) { // the same, but the error is asked for later
  FIRST;
  HAZARD(fault<<<1, n>>>(d);)
  COPY_IN(d, h);
  tell(__func__, cudaGetLastError());
  HAZARD(cudaDeviceReset();)
}
// CHECK: findsFault: cudaErrorLaunchFailure
// MAYGO: findsFault: cudaSuccess

// The copy that would overwrite fails after a fault. A copy whose result nobody asks for
// counts as one that succeeds, so the one before it goes.
CASE(failsAfterFault, 2) {
  FIRST;
  add<<<1, n>>>(e, d);
  COPY_OUT(h, e);
  HAZARD(fault<<<1, n>>>(d);)
  increase<<<1, n>>>(e);
  COPY_OUT(h, e);
  print(__func__, h);
  tell(__func__, cudaGetLastError());
  HAZARD(cudaDeviceReset();)
}
// CHECK: failsAfterFault: 1 2 17 64
// CHECK: failsAfterFault: cudaErrorLaunchFailure
// MAYGO: failsAfterFault: 3 5 35 129
// MAYGO: failsAfterFault: cudaSuccess

__device__ int table[n];
__global__ void addTable(int *to) { to[threadIdx.x] += table[threadIdx.x]; }
CASE(reset, 6, 3) { // a variable has its first value after a reset
  HOST(h, 1); ZEROS(e);
  cudaMemcpyToSymbol(table, h, size);
  addTable<<<1, n>>>(e);
  HAZARD(show(__func__, e); cudaDeviceReset(); cudaMalloc(&e, size);
         cudaMemset(e, 0, size);)
  cudaMemcpyToSymbol(table, h, size);
  addTable<<<1, n>>>(e);
  show(__func__, e);
}
// CHECK: reset: 1 2 17 64
// CHECK: reset: 1 2 17 64
// MAYGO: reset: 2 4 34 128

__constant__ int value = 5;
__global__ void useValue(int *to) { to[threadIdx.x] = 10 * to[threadIdx.x] + value; }
const int seven = 7;
CASE(resetValue, 5, 2) { // the same, and no copy sets it anew
  ZEROS(e);
  cudaMemcpyToSymbol(value, &seven, 4);
  useValue<<<1, n>>>(e);
  HAZARD(show(__func__, e); cudaDeviceReset(); cudaMalloc(&e, size);
         cudaMemset(e, 0, size);)
  useValue<<<1, n>>>(e);
  show(__func__, e);
}
// CHECK: resetValue: 7 7 7 7
// CHECK: resetValue: 5 5 5 5
// MAYGO: resetValue: 77 77 77 77

int main(int argc, char **) {
  one = argc;
  failsTwice();
  firstFails();
  deadFails();
  knownToFail();
  knownNotToOverwrite();
  knownElsewhere();
  checked();
  returnsFault();
  findsFault();
  failsAfterFault();
  reset();
  resetValue();
}
