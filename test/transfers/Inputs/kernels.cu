// Kernels store to the target of a copy, in all ways that one can write it down, or store to
// less of it than it looks.
#include "cases.h"
#include <cstdint>

CASE(storesToHalf, 2) { // a kernel stores to half of what the copy brings
  HOST(h, 1); DEVICE(d);
  COPY_IN(d, h);
  HAZARD(set<<<1, n / 2>>>(d, 7);)
  OTHERWISE(set<<<1, n>>>(d, 7);)
  show(__func__, d);
}
// CHECK: storesToHalf: 7 7 7 64
// MAYGO: storesToHalf: 7 7 7 7

__global__ void setWhereOdd(int *to, const int *from, int value) {
  if (from[threadIdx.x] & 1) to[threadIdx.x] = value;
}
CASE(storesUnderCondition, 3, 2) { // only where data says so
  HOST(h, 1); DEVICE(d); DEVICE(from);
  COPY_IN(from, h);
  COPY_IN(d, h);
  HAZARD(setWhereOdd<<<1, n>>>(d, from, 7);)
  OTHERWISE(set<<<1, n>>>(d, 7);)
  show(__func__, d);
}
// CHECK: storesUnderCondition: 7 2 7 64
// MAYGO: storesUnderCondition: 7 7 7 7

__global__ void setUnlessEven(int *to, const int *from, int value) {
  for (unsigned i = 0; i <= threadIdx.x; ++i)
    if (from[i] < 0) return;
  to[threadIdx.x] = value;
}
CASE(returnsEarly, 3) { // threads return before they store
  HOST(h, 1); DEVICE(d); DEVICE(from);
  h[1] = -2;
  COPY_IN(from, h);
  COPY_IN(d, h);
  setUnlessEven<<<1, n>>>(d, from, 7);
  show(__func__, d);
}
// CHECK: returnsEarly: 7 -2 17 64

__global__ void setSome(int *to, int value, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = value;
}
CASE(gridIsSmall, 2) { // the grid has fewer threads than there are elements
  HOST(h, 1); DEVICE(d);
  COPY_IN(d, h);
  HAZARD(setSome<<<2 * one, n / 4>>>(d, 7, n);)
  OTHERWISE(setSome<<<4, n / 4>>>(d, 7, n);)
  show(__func__, d);
}
// CHECK: gridIsSmall: 7 7 7 64
// MAYGO: gridIsSmall: 7 7 7 7

CASE(countIsSmall, 2) { // the number of elements is smaller than the grid
  HOST(h, 1); DEVICE(d);
  COPY_IN(d, h);
  setSome<<<4, n / 4>>>(d, 7, (n - 1) * one);
  show(__func__, d);
}
// CHECK: countIsSmall: 7 7 7 64

__global__ void setBytes(char *to) { to[4 * threadIdx.x] = 7; }
CASE(storesBytes, 2) { // one byte of each element
  HOST(h, 256); DEVICE(d);
  COPY_IN(d, h);
  setBytes<<<1, n>>>((char *)d);
  show(__func__, d);
}
// CHECK: storesBytes: 263 263 263 263

__global__ void atomically(int *to) { atomicAdd(to, 5); }
CASE(atomic, 4, 3) { // an atomic operation
  FIRST;
  HAZARD(atomically<<<1, 2>>>(d); add<<<1, n>>>(e, d);)
  OTHERWISE(add<<<1, n>>>(e, d);)
  AGAIN;
}
// CHECK: atomic: 13 6 51 192
// MAYGO: atomic: 3 6 51 192

__global__ void inPtx(int *to) {
  asm volatile("st.global.u32 [%0], 9;" ::"l"(to + threadIdx.x) : "memory");
}
CASE(ptx, 4, 3) { // assembly
  FIRST;
  HAZARD(inPtx<<<1, 2>>>(d); add<<<1, n>>>(e, d);)
  OTHERWISE(add<<<1, n>>>(e, d);)
  AGAIN;
}
// CHECK: ptx: 11 13 51 192
// MAYGO: ptx: 3 6 51 192

__global__ void throughConst(const int *to) { const_cast<int *>(to)[threadIdx.x] = 9; }
CASE(constPointer, 4, 3) { // a parameter that looks as if it was only read
  FIRST;
  HAZARD(throughConst<<<1, 2>>>(d);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: constPointer: 11 13 51 192
// MAYGO: constPointer: 3 6 51 192

__device__ void storeNine(int *to) { *to = 9; }
__device__ void (*volatile function)(int *) = storeNine;
__global__ void throughFunction(int *to) { function(to + threadIdx.x); }
CASE(functionPointer, 4, 3) { // a function that the kernel finds in memory stores
  FIRST;
  HAZARD(throughFunction<<<1, 2>>>(d);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: functionPointer: 11 13 51 192
// MAYGO: functionPointer: 3 6 51 192

__global__ void throughTable(int **table) { table[1][threadIdx.x] = 9; }
CASE(tableOfPointers, 5, 4) { // through pointers that are in device memory
  FIRST;
  int *pointers[] = {e, d}, **table;
  cudaMalloc(&table, sizeof(pointers));
  cudaMemcpy(table, pointers, sizeof(pointers), cudaMemcpyHostToDevice);
  HAZARD(throughTable<<<1, 2>>>(table);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: tableOfPointers: 11 13 51 192
// MAYGO: tableOfPointers: 3 6 51 192

__global__ void sumOfTable(int **table) { table[0][threadIdx.x] += table[1][threadIdx.x]; }
CASE(readsThroughTable, 4) { // a kernel reads what was copied through such pointers
  HOST(h, 1); DEVICE(d); ZEROS(e);
  int *pointers[] = {e, d}, **table;
  cudaMalloc(&table, sizeof(pointers));
  cudaMemcpy(table, pointers, sizeof(pointers), cudaMemcpyHostToDevice);
  COPY_IN(d, h);
  sumOfTable<<<1, n>>>(table);
  show(__func__, e);
}
// CHECK: readsThroughTable: 1 2 17 64

struct Buffers {
  int size, *first, *second;
};
__global__ void throughStruct(Buffers buffers) { buffers.second[threadIdx.x] = 9; }
CASE(inStruct, 4, 3) { // a pointer in a struct that is passed by value
  FIRST;
  HAZARD(throughStruct<<<1, 2>>>({n, e, d});)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: inStruct: 11 13 51 192
// MAYGO: inStruct: 3 6 51 192

__device__ int *where;
__global__ void throughVariable() { where[threadIdx.x] = 9; }
CASE(inVariable, 5, 4) { // a pointer in a variable of the device
  FIRST;
  cudaMemcpyToSymbol(where, &d, sizeof(d));
  HAZARD(throughVariable<<<1, 2>>>();)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: inVariable: 11 13 51 192
// MAYGO: inVariable: 3 6 51 192

__global__ void throughNumber(uintptr_t number) { ((int *)number)[threadIdx.x] = 9; }
CASE(asNumber, 4, 3) { // a pointer that is passed as a number
  FIRST;
  HAZARD(throughNumber<<<1, 2>>>((uintptr_t)d);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: asNumber: 11 13 51 192
// MAYGO: asNumber: 3 6 51 192

CASE(neighbor, 4) { // a pointer into another part of the same allocation
  HOST(h, 1);
  int *e, *d;
  cudaMalloc(&e, 2 * size);
  d = e + n;
  cudaMemset(e, 0, size);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  HAZARD(increase<<<1, n + 2>>>(e);)
  OTHERWISE(increase<<<1, n>>>(e);)
  add<<<1, n>>>(e, d);
  COPY_IN(d, h);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: neighbor: 5 8 52 193
// MAYGO: neighbor: 4 7 52 193

void (*volatile kernels[])(int *, int) = {nullptr, set};
__global__ void setBefore(int *to) { to[-1 - (int)threadIdx.x] = 9; }
CASE(before, 4, 3) { // in front of where the pointer points
  FIRST;
  HAZARD(setBefore<<<1, 2>>>(d + 2);)
  OTHERWISE(setBefore<<<1, 2>>>(e + 2); set<<<1, 2>>>(e, 0); add<<<1, 2>>>(e, d);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: before: 11 13 51 192
// MAYGO: before: 3 6 51 192

CASE(throughHandle, 4, 3) { // a kernel that is chosen when the program runs
  FIRST;
  int value = 9;
  void *arguments[] = {&d, &value};
  HAZARD(cudaLaunchKernel((const void *)kernels[one], dim3(1), dim3(2), arguments, 0, 0);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: throughHandle: 11 13 51 192
// MAYGO: throughHandle: 3 6 51 192

__device__ int *block;
__global__ void makeBlock(const int *from) {
  if (threadIdx.x == 0) block = (int *)malloc(n * sizeof(int));
  __syncthreads();
  block[threadIdx.x] = from[threadIdx.x] + 100;
}
__global__ void fromBlock(int *to) { to[threadIdx.x] = block[threadIdx.x]; }
CASE(heapOfDevice, 4, 3) { // what was copied goes to the heap of the device and back
  FIRST;
  HAZARD(makeBlock<<<1, n>>>(d); fromBlock<<<1, 2>>>(d);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: heapOfDevice: 103 106 51 192
// MAYGO: heapOfDevice: 3 6 51 192

int main(int argc, char **) {
  one = argc;
  storesToHalf();
  storesUnderCondition();
  returnsEarly();
  gridIsSmall();
  countIsSmall();
  storesBytes();
  atomic();
  ptx();
  constPointer();
  functionPointer();
  tableOfPointers();
  readsThroughTable();
  inStruct();
  inVariable();
  asNumber();
  neighbor();
  before();
  throughHandle();
  heapOfDevice();
}
