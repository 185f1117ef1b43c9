// Loops: what holds in one round need not hold in the next one, or in the next run of the
// loop. Where some copies may go, what is printed shows whether others did.
#include "cases.h"

CASE(outerStores, 4-6, 5) { // the loop around it stores: the inner one has two first rounds
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2; ++i) {
      COPY_IN(d, h);
      add<<<1, n>>>(e, d);
    }
    HAZARD(h[1] += 10;)
  }
  show(__func__, e);
}
// CHECK: outerStores: 4 28 68 256
// MAYGO: outerStores: 4 8 68 256

NOINLINE void twoRounds(int *e, int *d, const int *h) {
  for (int i = 0; i < 2; ++i) {
    COPY_IN(d, h);
    add<<<1, n>>>(e, d);
  }
}
CASE(calledTwice, 4-6, 5) { // the same, of a loop in a function
  HOST(h, 1); DEVICE(d); ZEROS(e);
  twoRounds(e, d, h);
  HAZARD(h[1] += 10;)
  twoRounds(e, d, h);
  show(__func__, e);
}
// CHECK: calledTwice: 4 28 68 256
// MAYGO: calledTwice: 4 8 68 256

CASE(skippedAtFirst, 5-6, 5) { // the copy does not run in the first round
  HOST(h, 1); ZEROS(d); ZEROS(e);
  for (int i = 0; i < 3; ++i) {
    HAZARD(if (i >= one)) {
      COPY_IN(d, h);
    }
    add<<<1, n>>>(e, d);
    HAZARD(if (i >= one) h[1] += 10;)
  }
  show(__func__, e);
}
// CHECK: skippedAtFirst: 2 14 34 128
// MAYGO: skippedAtFirst: 3 6 51 192

CASE(failsAtFirst, 4-6, 5) { // the copy fails in the first round
  HOST(h, 1); ZEROS(d); ZEROS(e);
  for (int i = 0; i < 3; ++i) {
    int *to = d;
    HAZARD(if (i < one) to = nullptr;)
    COPY_IN(to, h);
    add<<<1, n>>>(e, d);
  }
  show(__func__, e);
  cudaGetLastError();
}
// CHECK: failsAtFirst: 2 4 34 128
// MAYGO: failsAtFirst: 3 6 51 192

CASE(noRounds, 4, 4) { // the loop with the first copy has no rounds
  HOST(h, 1); ZEROS(d); ZEROS(e);
  HAZARD(for (int i = 1; i < one; ++i))
    COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: noRounds: 1 2 17 64
// MAYGO: noRounds: 2 4 34 128

CASE(underCondition, 4, 4) { // the first copy does not run
  HOST(h, 1); ZEROS(d); ZEROS(e);
  HAZARD(if (one > 1))
    COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: underCondition: 1 2 17 64
// MAYGO: underCondition: 2 4 34 128

CASE(otherSources, 5, 4) { // each round has a source of its own
  HOST(h, 1); HOST(g, 101); HOST(f, 1001); DEVICE(d); ZEROS(e);
  int *sources[] = {h, g, f};
  for (int i = 0; i < 3; ++i) {
    COPY_IN(d, sources[i HAZARD(* one) OTHERWISE(* 0)]);
    add<<<1, n>>>(e, d);
  }
  show(__func__, e);
}
// CHECK: otherSources: 1103 1106 1151 1292
// MAYGO: otherSources: 3 6 51 192

CASE(moreBytes, 6, 5) { // each round copies more
  HOST(h, 1); ZEROS(d); ZEROS(e);
  for (int i = 0; i < 3; ++i) {
    cudaMemcpy(d, h, size HAZARD(>> (2 - i)), cudaMemcpyHostToDevice);
    add<<<1, n>>>(e, d);
  }
  show(__func__, e);
}
// CHECK: moreBytes: 3 6 34 64
// MAYGO: moreBytes: 3 6 51 192

CASE(allocatedInLoop, 5, 4) { // each round has new device memory
  HOST(h, 1); ZEROS(e);
  OTHERWISE(DEVICE(d);)
  for (int i = 0; i < 3; ++i) {
    HAZARD(DEVICE(d);)
    COPY_IN(d, h);
    add<<<1, n>>>(e, d);
    HAZARD(cudaFree(d);)
  }
  show(__func__, e);
}
// CHECK: allocatedInLoop: 3 6 51 192
// MAYGO: allocatedInLoop: 3 6 51 192

CASE(hostMemoryOfLoop, 5, 4) { // each round has new host memory, with other contents
  DEVICE(d); ZEROS(e);
  OTHERWISE(HOST(h, 1);)
  for (int i = 0; i < 3; ++i) {
    HAZARD(HOST(h, 1 + 10 * i);)
    COPY_IN(d, h);
    add<<<1, n>>>(e, d);
    HAZARD(free(h);)
  }
  show(__func__, e);
}
// CHECK: hostMemoryOfLoop: 33 36 81 222
// MAYGO: hostMemoryOfLoop: 3 6 51 192

NOINLINE void mayThrow(int number) {
  if (number == one) throw number;
}
CASE(thrownOut, 2-3) { // an exception leaves the loop behind the last copy
  int *h = (int *)malloc(size);
  ZEROS(d);
  try {
    for (int i = 0; i < 4; ++i) {
      increase<<<1, n>>>(d);
      COPY_OUT(h, d);
      HAZARD(mayThrow(i);)
    }
  } catch (int) {
  }
  print(__func__, h);
}
// CHECK: thrownOut: 2 2 2 2
// MAYGO: thrownOut: 4 4 4 4

NOINLINE void copyRounds(int *h, int *d) {
  for (int i = 0; i < 4; ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(if (i == one) return;)
  }
}
CASE(returned, 2-3, 4) { // the function returns from the loop
  int *h = (int *)malloc(size);
  ZEROS(d);
  copyRounds(h, d);
  increase<<<1, n>>>(d);
  print(__func__, h);
}
// CHECK: returned: 2 2 2 2
// MAYGO: returned: 4 4 4 4

// Copies out of which only the last one is read. The number of rounds is not known, so that
// the loop stays one.
NOINLINE int roundsOf(int count) { return count * one; }

CASE(readInLoop, 5, 2) { // each round reads what it has copied
  int *h = (int *)calloc(n, 4), sum = 0;
  ZEROS(d);
  for (int i = 0; i < roundsOf(4); ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(sum += h[1];)
  }
  h[0] += sum;
  print(__func__, h);
}
// CHECK: readInLoop: 14 4 4 4
// MAYGO: readInLoop: 4 4 4 4

CASE(storedInLoop, 5, 2) { // each round stores behind the copy
  int *h = (int *)calloc(n, 4);
  ZEROS(d);
  for (int i = 0; i < roundsOf(4); ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(h[1] += 10;)
  }
  print(__func__, h);
}
// CHECK: storedInLoop: 4 14 4 4
// MAYGO: storedInLoop: 4 4 4 4

CASE(computedBehind, 5, 2) { // a kernel computes on behind the copy
  int *h = (int *)calloc(n, 4);
  ZEROS(d);
  for (int i = 0; i < roundsOf(4); ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(increase<<<1, n>>>(d);)
  }
  print(__func__, h);
}
// CHECK: computedBehind: 7 7 7 7
// MAYGO: computedBehind: 4 4 4 4

CASE(leftBetween, 4, 2) { // the last round ends between the kernel and the copy
  int *h = (int *)calloc(n, 4);
  ZEROS(d);
  for (int i = 0; i < roundsOf(4); ++i) {
    increase<<<1, n>>>(d);
    HAZARD(if (i == roundsOf(3)) break;)
    COPY_OUT(h, d);
  }
  print(__func__, h);
}
// CHECK: leftBetween: 3 3 3 3
// MAYGO: leftBetween: 4 4 4 4

CASE(skippedAtLast, 3, 2) { // the last round does not copy
  int *h = (int *)calloc(n, 4);
  ZEROS(d);
  for (int i = 0; i < roundsOf(4); ++i) {
    increase<<<1, n>>>(d);
    HAZARD(if (i % roundsOf(2) == 0))
      COPY_OUT(h, d);
  }
  print(__func__, h);
}
// CHECK: skippedAtLast: 3 3 3 3
// MAYGO: skippedAtLast: 4 4 4 4

CASE(otherTargets, 5, 2) { // each round copies to other memory
  int *h = (int *)calloc(4 * n, 4);
  ZEROS(d);
  for (int i = 0; i < roundsOf(4); ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h HAZARD(+ i), d);
  }
  print(__func__, h);
}
// CHECK: otherTargets: 1 2 4 4
// MAYGO: otherTargets: 4 4 4 4

NOINLINE void readTarget(const int *h, int *sum) { *sum += h[1]; }
CASE(readByFunction, 5, 2) { // a function that the loop calls reads it
  int *h = (int *)calloc(n, 4), sum = 0;
  ZEROS(d);
  for (int i = 0; i < roundsOf(4); ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(readTarget(h, &sum);)
  }
  h[0] += sum;
  print(__func__, h);
}
// CHECK: readByFunction: 14 4 4 4
// MAYGO: readByFunction: 4 4 4 4

CASE(copiedBack, 9, 2) { // another copy takes it to the device again
  int *h = (int *)calloc(n, 4);
  ZEROS(d);
  OTHERWISE(int *e = nullptr;)
  HAZARD(DEVICE(e);)
  for (int i = 0; i < roundsOf(4); ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(COPY_IN(e, h); add<<<1, n>>>(d, e);)
  }
  cudaFree(e);
  print(__func__, h);
}
// CHECK: copiedBack: 15 15 15 15
// MAYGO: copiedBack: 4 4 4 4

NOINLINE void leaveAll(int round) {
  if (round == roundsOf(2)) throw round;
}
NOINLINE void throwFrom(int *h, int *d) {
  for (int i = 0; i < roundsOf(4); ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(leaveAll(i);)
  }
}
CASE(thrownToCaller, 4, 2) { // an exception leaves the function
  int *h = (int *)calloc(n, 4);
  ZEROS(d);
  try { throwFrom(h, d); } catch (int) {}
  print(__func__, h);
}
// CHECK: thrownToCaller: 3 3 3 3
// MAYGO: thrownToCaller: 4 4 4 4

CASE(severalWaysOut, 4, 2) { // the loop is left in several ways: each one has the last copy
  int *h = (int *)calloc(n, 4);
  ZEROS(d);
  for (int i = 0;; ++i) {
    increase<<<1, n>>>(d);
    if (cudaMemcpy(h, d, size, cudaMemcpyDeviceToHost)) abort();
    HAZARD(h[1] += 0 * i + one;)
    if (i == roundsOf(2)) break;
    if (i == roundsOf(7)) goto out;
  }
  h[2] = 0;
out:
  print(__func__, h);
}
// CHECK: severalWaysOut: 3 4 3 3
// MAYGO: severalWaysOut: 3 3 3 3

CASE(noRoundAtAll, 2, 2) { // the loop never runs, so nothing is copied behind it
  HOST(h, 1); ZEROS(d);
  for (int i = 0; i < roundsOf(0); ++i) {
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
  }
  show(__func__, d);
  print(__func__, h);
}
// CHECK: noRoundAtAll: 0 0 0 0
// CHECK: noRoundAtAll: 1 2 17 64
// MAYGO: noRoundAtAll: 0 0 0 0
// MAYGO: noRoundAtAll: 1 2 17 64

CASE(copiedToAndFro, 6-9, 3) { // each round goes on with what the round before has copied
  HOST(h, 1); DEVICE(d);
  for (int i = 0; i < roundsOf(4); ++i) {
    COPY_IN(d, h);
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
    HAZARD(h[1] += 10;)
  }
  print(__func__, h);
}
// CHECK: copiedToAndFro: 5 46 21 68
// MAYGO: copiedToAndFro: 5 6 21 68

CASE(firstRoundIsLater, 4-8, 3) { // the round before the first copy to the device copies from there
  HOST(h, 1); ZEROS(d);
  for (int i = 0; i < roundsOf(4); ++i) {
    HAZARD(if (roundsOf(i) > 0))
      COPY_IN(d, h);
    increase<<<1, n>>>(d);
    COPY_OUT(h, d);
  }
  print(__func__, h);
}
// CHECK: firstRoundIsLater: 4 4 4 4
// MAYGO: firstRoundIsLater: 5 6 21 68

int main(int argc, char **) {
  one = argc;
  outerStores();
  calledTwice();
  skippedAtFirst();
  failsAtFirst();
  noRounds();
  underCondition();
  otherSources();
  moreBytes();
  allocatedInLoop();
  hostMemoryOfLoop();
  thrownOut();
  returned();
  readInLoop();
  storedInLoop();
  computedBehind();
  leftBetween();
  skippedAtLast();
  otherTargets();
  readByFunction();
  copiedBack();
  thrownToCaller();
  severalWaysOut();
  noRoundAtAll();
  copiedToAndFro();
  firstRoundIsLater();
}
