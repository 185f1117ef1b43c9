// The host stores to what was copied, in all the ways that one can write it down.
#include "cases.h"
#include <atomic>
#include <cstdint>
#include <vector>

CASE(otherType, 4, 3) { // through a pointer of another type
  FIRST;
  HAZARD(((short *)h)[2] = 9;)
  AGAIN;
}
// CHECK: otherType: 2 11 34 128
// MAYGO: otherType: 2 4 34 128

int *kept;
NOINLINE void storeToKept() { kept[1] = 9; }
CASE(throughGlobal, 4, 3) { // through a pointer in a variable, elsewhere
  FIRST;
  HAZARD(kept = h; storeToKept();)
  AGAIN;
}
// CHECK: throughGlobal: 2 11 34 128
// MAYGO: throughGlobal: 2 4 34 128

struct Writer {
  int *place;
  virtual void write() const {}
};
struct RealWriter : Writer {
  NOINLINE void write() const override { *place = 9; }
};
CASE(throughMember, 4) { // through a member of an object, in a virtual function
  FIRST;
  RealWriter real;
  real.place = h + 1;
  Writer *volatile writer = &real;
  HAZARD(writer->write();)
  AGAIN;
}
// CHECK: throughMember: 2 11 34 128
// MAYGO: throughMember: 2 4 34 128

void write9(int *to) { *to = 9; }
void writeNothing(int *) {}
void (*volatile writers[])(int *) = {writeNothing, write9};
CASE(throughCall, 4, 3) { // by a function of a table
  FIRST;
  HAZARD(writers[one](h + 1);)
  AGAIN;
}
// CHECK: throughCall: 2 11 34 128
// MAYGO: throughCall: 2 4 34 128

CASE(inVector, 4, 3) { // a vector's memory, which then is elsewhere
  std::vector<int> v(n);
  fill(v.data(), 1);
  DEVICE(d); ZEROS(e);
  COPY_IN(d, v.data());
  add<<<1, n>>>(e, d);
  HAZARD(v[1] = 9; v.push_back(1);)
  COPY_IN(d, v.data());
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: inVector: 2 11 34 128
// MAYGO: inVector: 2 4 34 128

NOINLINE int descending(const void *a, const void *b) { return *(int *)b - *(int *)a; }
CASE(libraryStores, 6, 5) { // functions of C's library
  FIRST;
  HAZARD(memset(h + 1, 0, 4);)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(memmove(h + 1, h, 4);)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(qsort(h, n, 4, descending);)
  AGAIN;
}
// CHECK: libraryStores: 67 66 99 193
// MAYGO: libraryStores: 4 8 68 256

CASE(volatileStore, 4, 3) {
  FIRST;
  HAZARD(((volatile int *)h)[1] = 9;)
  AGAIN;
}
// CHECK: volatileStore: 2 11 34 128
// MAYGO: volatileStore: 2 4 34 128

CASE(atomicStores, 5, 4) {
  FIRST;
  HAZARD(std::atomic_ref(h[1]).store(9, std::memory_order_relaxed);)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(__atomic_fetch_add(h + 1, 5, __ATOMIC_SEQ_CST);)
  AGAIN;
}
// CHECK: atomicStores: 3 25 51 192
// MAYGO: atomicStores: 3 6 51 192

CASE(assembly, 5, 4) { // assembly stores, where it says so and where it clobbers all memory
  FIRST;
  HAZARD(asm("movl $9, %0" : "=m"(h[1]));)
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(asm volatile("movl $14, 4(%0)" ::"r"(h) : "memory");)
  AGAIN;
}
// CHECK: assembly: 3 25 51 192
// MAYGO: assembly: 3 6 51 192

uintptr_t hidden;
CASE(clobbered, 4, 3) { // assembly finds the pointer in memory
  FIRST;
  HAZARD(hidden = (uintptr_t)h;
         asm volatile("movq %0, %%rax; movl $9, 4(%%rax)" ::"m"(hidden) : "rax", "memory");)
  AGAIN;
}
// CHECK: clobbered: 2 11 34 128
// MAYGO: clobbered: 2 4 34 128

CASE(freedAndAllocated, 4, 3) { // new memory at the old address
  FIRST;
  HAZARD(free(h); h = (int *)malloc(size); fill(h, 11);)
  AGAIN;
}
// CHECK: freedAndAllocated: 12 14 44 138
// MAYGO: freedAndAllocated: 2 4 34 128

CASE(resized, 4, 3) { // realloc
  FIRST;
  HAZARD(h = (int *)realloc(h, 2 * size); h[1] = 9;)
  AGAIN;
}
// CHECK: resized: 2 11 34 128
// MAYGO: resized: 2 4 34 128

CASE(deviceFreed, 4, 3) { // new device memory, perhaps at the old address
  FIRST;
  HAZARD(cudaFree(d); cudaMalloc(&d, size);)
  AGAIN;
}
// CHECK: deviceFreed: 2 4 34 128
// MAYGO: deviceFreed: 2 4 34 128

CASE(madeByOneCall, 6) { // two buffers that one call has allocated
  HOST(h, 1);
  int *d[2], *e[2];
  for (int i = 0; i < 2; ++i) {
    cudaMalloc(&d[i], size);
    cudaMalloc(&e[i], size);
    cudaMemset(e[i], 0, size);
  }
  for (int i = 0; i < 2; ++i) {
    COPY_IN(d[i], h);
    add<<<1, n>>>(e[i], d[i]);
  }
  show(__func__, e[0]);
  show(__func__, e[1]);
  free(h);
}
// CHECK: madeByOneCall: 1 2 17 64
// CHECK: madeByOneCall: 1 2 17 64

CASE(newInEachRound, 4, 3) { // a variable of a loop's body
  DEVICE(d); ZEROS(e);
  OTHERWISE(int x[n]; fill(x, 1);)
  for (int i = 0; i < 2; ++i) {
    HAZARD(int x[n]; fill(x, 1 + 10 * i);)
    COPY_IN(d, x);
    add<<<1, n>>>(e, d);
  }
  show(__func__, e);
}
// CHECK: newInEachRound: 12 14 44 138
// MAYGO: newInEachRound: 2 4 34 128

NOINLINE void copyOwn(int *e, int *d, int first) {
  int x[n];
  fill(x, first);
  COPY_IN(d, x);
  add<<<1, n>>>(e, d);
  NO_TAIL_CALL;
}
CASE(stackOfCall, 4) { // a variable of a function that is called twice
  DEVICE(d); ZEROS(e);
  copyOwn(e, d, 1);
  copyOwn(e, d, 11);
  show(__func__, e);
}
// CHECK: stackOfCall: 12 14 44 138

CASE(samePlace, 4, 3) { // two variables that may have one place on the stack
  DEVICE(d); ZEROS(e);
  {
    int x[n];
    fill(x, 1);
    COPY_IN(d, x);
    add<<<1, n>>>(e, d);
    OTHERWISE(COPY_IN(d, x); add<<<1, n>>>(e, d);)
  }
  HAZARD({
    int y[n];
    fill(y, 11);
    COPY_IN(d, y);
    add<<<1, n>>>(e, d);
  })
  show(__func__, e);
}
// CHECK: samePlace: 12 14 44 138
// MAYGO: samePlace: 2 4 34 128

int main(int argc, char **) {
  one = argc;
  otherType();
  throughGlobal();
  throughMember();
  throughCall();
  inVector();
  libraryStores();
  volatileStore();
  atomicStores();
  assembly();
  clobbered();
  freedAndAllocated();
  resized();
  deviceFreed();
  madeByOneCall();
  newInEachRound();
  stackOfCall();
  samePlace();
}
