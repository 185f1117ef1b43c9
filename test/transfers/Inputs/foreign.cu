// A library that is not compiled for the link: it stores to what was copied, and reads it, on
// both sides.
#include "cases.h"

extern "C" {
void foreignStore(int *), foreignRead(const int *), foreignKeep(int *), foreignStoreToKept(),
    foreignReadKept(), foreignReadShared(), foreignStoreToShared(), foreignFill(int *),
    foreignShow(const int *), foreignCall(void (*)(void *), void *);
int shared[64];
}

CASE(stores, 4) { // it stores to the source
  FIRST;
  HAZARD(foreignStore(h);)
  AGAIN;
}
// CHECK: stores: 2 11 34 128
// MAYGO: stores: 2 4 34 128

CASE(keeps, 4) { // it has kept the pointer
  HOST(h, 1); DEVICE(d); ZEROS(e);
  HAZARD(foreignKeep(h);)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(foreignStoreToKept();)
  AGAIN;
}
// CHECK: keeps: 2 11 34 128
// MAYGO: keeps: 2 4 34 128

CASE(storesToVariable, 4) { // it knows a variable of the program by its name
  fill(shared, 1);
  DEVICE(d); ZEROS(e);
  COPY_IN(d, shared);
  add<<<1, n>>>(e, d);
  HAZARD(foreignStoreToShared();)
  COPY_IN(d, shared);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: storesToVariable: 2 11 34 128
// MAYGO: storesToVariable: 2 4 34 128

void storeTo(void *to) { *(int *)to = 9; }
CASE(callsBack, 4) { // it calls a function of ours, which stores
  FIRST;
  HAZARD(foreignCall(storeTo, h + 1);)
  AGAIN;
}
// CHECK: callsBack: 2 11 34 128
// MAYGO: callsBack: 2 4 34 128

CASE(fills, 5) { // it fills a part of the target
  FIRST;
  HAZARD(foreignFill(d);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: fills: 3 4 51 192
// MAYGO: fills: 3 6 51 192

CASE(reads, 2) { // it reads the target
  ZEROS(d);
  int *h = (int *)malloc(size);
  COPY_OUT(h, d);
  HAZARD(foreignRead(h);)
  free(h);
}
// CHECK: foreignRead: 0 0

CASE(readsKept, 3) { // it reads what it has kept, after two copies
  ZEROS(d);
  int *h = (int *)malloc(size);
  HAZARD(foreignKeep(h);)
  COPY_OUT(h, d);
  HAZARD(foreignReadKept();)
  set<<<1, n>>>(d, 3);
  COPY_OUT(h, d);
  HAZARD(foreignReadKept();)
  free(h);
}
// CHECK: foreignReadKept: 0 0
// CHECK: foreignReadKept: 3 3

CASE(readsVariable, 2) { // it reads a variable
  ZEROS(d);
  increase<<<1, n>>>(d);
  COPY_OUT(shared, d);
  HAZARD(foreignReadShared();)
}
// CHECK: foreignReadShared: 1 1

CASE(copiesBack, 2) { // it copies from the device what was copied there
  HOST(h, 1); DEVICE(d);
  COPY_IN(d, h);
  HAZARD(foreignShow(d);)
  cudaFree(d);
}
// CHECK: foreignShow: 1 2

int main(int argc, char **) {
  one = argc;
  stores();
  keeps();
  storesToVariable();
  callsBack();
  fills();
  reads();
  readsKept();
  readsVariable();
  copiesBack();
}
