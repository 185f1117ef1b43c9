// Ways through the program: loops that are left early, exceptions, calls, and what runs
// before and behind main.
#include "cases.h"
#include <csetjmp>

NOINLINE void copyAndAdd(int *e, int *d, const int *h) {
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
}
CASE(twoCallers, 5-6, 6) { // one caller stores before, so that only the first may go
  FIRST;
  copyAndAdd(e, d, h);
  HAZARD(h[1] = 9;)
  OTHERWISE(COPY_IN(d, h);)
  copyAndAdd(e, d, h);
  HAZARD(h[1] = 20;)
  AGAIN;
}
// CHECK: twoCallers: 4 33 68 256
// MAYGO: twoCallers: 4 8 68 256

NOINLINE void storeDeep(int *h, int depth) {
  if (depth == 0)
    h[1] = 9;
  else
    storeDeep(h, depth - 1);
  NO_TAIL_CALL; // and not a loop
}
CASE(recursion, 4, 3) { // the innermost of some calls stores
  FIRST;
  HAZARD(storeDeep(h, 2 + one);)
  AGAIN;
}
// CHECK: recursion: 2 11 34 128
// MAYGO: recursion: 2 4 34 128

NOINLINE void mayThrow(int number) {
  if (number < 10 * one) throw number;
}
CASE(handlerStores, 5) { // an exception leaves each round; its handler stores
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < 3; ++i)
    try {
      COPY_IN(d, h);
      add<<<1, n>>>(e, d);
      HAZARD(mayThrow(i);)
    } catch (int) {
      h[0] += 10;
    }
  show(__func__, e);
}
// CHECK: handlerStores: 33 6 51 192
// MAYGO: handlerStores: 3 6 51 192

NOINLINE void storeUntilThrow(int *h) {
  for (int i = 0; i < n; ++i) {
    h[i] += 10;
    mayThrow(9 * i);
  }
}
CASE(storesAndThrows, 4, 3) { // a loop that stores ends with an exception
  FIRST;
  try {
    HAZARD(storeUntilThrow(h);)
  } catch (int) {
  }
  AGAIN;
}
// CHECK: storesAndThrows: 12 4 34 128
// MAYGO: storesAndThrows: 2 4 34 128

CASE(thrownPast, 2) { // an exception goes past the copy that overwrites
  int h[n];
  ZEROS(d);
  try {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(mayThrow(0);)
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
  } catch (int) {
  }
  print(__func__, h);
}
// CHECK: thrownPast: 1 1 1 1
// MAYGO: thrownPast: 2 2 2 2

jmp_buf place;
NOINLINE void mayJump() {
  if (one) longjmp(place, 1);
}
CASE(jumpedPast, 2, 2) { // longjmp goes past the copy that overwrites
  int *h = (int *)malloc(size);
  ZEROS(d);
  HAZARD(if (!setjmp(place))) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(mayJump();)
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
  }
  print(__func__, h);
}
// CHECK: jumpedPast: 1 1 1 1
// MAYGO: jumpedPast: 2 2 2 2

NOINLINE void storeAndJump(int *h) {
  ++h[0];
  longjmp(place, 1);
}
CASE(jumpedOut, 5, 4) { // longjmp leaves the loop in each round, which then begins anew
  static int rounds;
  HOST(h, 1); DEVICE(d); ZEROS(e);
  HAZARD(setjmp(place);)
  while (rounds < 3) {
    ++rounds;
    COPY_IN(d, h);
    add<<<1, n>>>(e, d);
    HAZARD(storeAndJump(h);)
  }
  show(__func__, e);
}
// CHECK: jumpedOut: 6 6 51 192
// MAYGO: jumpedOut: 3 6 51 192

CASE(leftEarly, 3, 4) { // the round that ends the loop is not known
  int h[n];
  ZEROS(d);
  for (int i = 0; i < 4; ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(increase<<<1, n>>>(d); if (i == one) break;)
  }
  print(__func__, h);
}
// CHECK: leftEarly: 3 3 3 3
// MAYGO: leftEarly: 4 4 4 4

CASE(readOnOnePath, 4, 3) { // the host reads on one path, and behind the loop
  int h[n], seen = 0;
  ZEROS(d);
  for (int i = 0; i < 3; ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(if (i <= one) seen = 10 * seen + h[0];)
  }
  h[0] += 10 * seen;
  print(__func__, h);
}
// CHECK: readOnOnePath: 123 3 3 3
// MAYGO: readOnOnePath: 3 3 3 3

CASE(readInNextRound, 4, 3) { // the host reads what the round before has copied
  int h[n], seen = 0;
  ZEROS(d);
  for (int i = 0; i < 3; ++i) {
    HAZARD(if (i) seen = 10 * seen + h[0];)
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
  }
  h[0] += 10 * seen;
  print(__func__, h);
}
// CHECK: readInNextRound: 123 3 3 3
// MAYGO: readInNextRound: 3 3 3 3

CASE(usedInNextRound, 6, 5) { // a kernel reads what the round before has copied
  HOST(h, 1); ZEROS(d); ZEROS(e);
  for (int i = 0; i < 3; ++i) {
    HAZARD(add<<<1, n>>>(e, d);)
    COPY_IN(d, h);
    ++h[0];
  }
  HAZARD(add<<<1, n>>>(e, d);)
  show(__func__, e);
}
// CHECK: usedInNextRound: 6 6 51 192
// MAYGO: usedInNextRound: 0 0 0 0

CASE(storedInLoop, 6, 5) { // each round stores, here or there
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < 3; ++i) {
    COPY_IN(d, h);
    add<<<1, n>>>(e, d);
    HAZARD(if (i < one) h[0] = 50; else h[n - 1] += 50;)
  }
  AGAIN;
}
// CHECK: storedInLoop: 151 8 68 406
// MAYGO: storedInLoop: 4 8 68 256

int *h, *d, *e;
CASE(beforeMain, 2) { // a constructor copies ...
  h = (int *)malloc(size);
  fill(h, 1);
  cudaMalloc(&d, size);
  cudaMalloc(&e, size);
  cudaMemset(e, 0, size);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
}
CASE(inMain, 2) { // ... and another one, or main, stores
  HAZARD(h[1] += 5;)
  AGAIN;
}
// CHECK: inMain: 2 11 34 128
// MAYGO: inMain: 2 4 34 128
struct Early {
  Early() { beforeMain(); }
} early;
struct Later {
  NOINLINE Later() {
    HAZARD(h[1] += 2;)
  }
} later;

int last[n], final[n];
struct Reader {
  ~Reader() { HAZARD(print("destructor", final);) }
} reader;
void printLast() { print("atexit", last); }
CASE(readAtExit, 3) { // functions that run behind main read
  ZEROS(device);
  increase<<<1, n>>>(device);
  COPY_OUT(last, device);
  increase<<<1, n>>>(device);
  COPY_OUT(final, device);
  HAZARD(atexit(printLast);)
}
// CHECK: atexit: 1 1 1 1
// CHECK: destructor: 2 2 2 2

int main(int argc, char **) {
  one = argc;
  twoCallers();
  recursion();
  handlerStores();
  storesAndThrows();
  thrownPast();
  jumpedPast();
  jumpedOut();
  leftEarly();
  readOnOnePath();
  readInNextRound();
  usedInNextRound();
  storedInLoop();
  inMain();
  readAtExit();
}
