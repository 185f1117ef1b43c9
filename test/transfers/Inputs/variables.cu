// Variables of the device, which copies set that name them.
#include "cases.h"

__device__ int table[n];
__constant__ int constants[n], others[n];
__global__ void addTable(int *to) { to[threadIdx.x] += table[threadIdx.x]; }
__global__ void addConstants(int *to) { to[threadIdx.x] += constants[threadIdx.x]; }
__global__ void addOthers(int *to) { to[threadIdx.x] += others[threadIdx.x]; }
__global__ void setTable(int value) { table[threadIdx.x] = value; }

CASE(variable, 4, 3) { // a kernel stores to a variable of the device
  HOST(h, 1); ZEROS(e);
  cudaMemcpyToSymbol(table, h, size);
  addTable<<<1, n>>>(e);
  HAZARD(setTable<<<1, 2>>>(9); addTable<<<1, n>>>(e);)
  OTHERWISE(addTable<<<1, n>>>(e);)
  cudaMemcpyToSymbol(table, h, size);
  addTable<<<1, n>>>(e);
  show(__func__, e);
}
// CHECK: variable: 11 13 51 192
// MAYGO: variable: 3 6 51 192

CASE(addressOfVariable, 5, 3) { // a fill by the address of a variable
  HOST(h, 1); ZEROS(e);
  void *address;
  cudaGetSymbolAddress(&address, constants);
  cudaMemcpyToSymbol(constants, h, size);
  addConstants<<<1, n>>>(e);
  HAZARD(cudaMemset(address, 0, 4);)
  addConstants<<<1, n>>>(e);
  cudaMemcpyToSymbol(constants, h, size);
  addConstants<<<1, n>>>(e);
  show(__func__, e);
}
// CHECK: addressOfVariable: 2 6 51 192
// MAYGO: addressOfVariable: 3 6 51 192

CASE(partOfVariable, 5, 4) { // a copy to a part of a variable comes in between
  HOST(h, 1); ZEROS(e);
  size_t offset = 0;
  HAZARD(offset = 4 * one;)
  cudaMemcpyToSymbol(others, h, size);
  addOthers<<<1, n>>>(e);
  cudaMemcpyToSymbol(others, h, 4, offset);
  addOthers<<<1, n>>>(e);
  cudaMemcpyToSymbol(others, h, size);
  addOthers<<<1, n>>>(e);
  show(__func__, e);
}
// CHECK: partOfVariable: 3 5 51 192
// MAYGO: partOfVariable: 3 6 51 192

CASE(copiedBack, 5, 3) { // a copy from a variable stores to the source of another copy
  FIRST;
  setTable<<<1, n>>>(9);
  HAZARD(cudaMemcpyFromSymbol(h + 1, table, 4);)
  AGAIN;
}
// CHECK: copiedBack: 2 11 34 128
// MAYGO: copiedBack: 2 4 34 128

// What copies set to known values might be set from the start.
__device__ int usedBefore = 5, setTwice = 5, perhapsSet = 5, added = 5, readBefore = 5;
__global__ void addVariables(int *to, int before, int twice, int perhaps) {
  if (before) to[0] += usedBefore;
  if (twice) to[1] = 10 * to[1] + setTwice;
  if (perhaps) to[n - 1] += perhapsSet;
}
const int seven = 7, eight = 8;

CASE(valueIsUsedBefore, 3) { // a kernel runs before the copy
  ZEROS(e);
  addVariables<<<1, 1>>>(e, 1, 0, 0);
  cudaMemcpyToSymbol(usedBefore, &seven, 4);
  addVariables<<<1, 1>>>(e, 1, 0, 0);
  show(__func__, e);
}
// CHECK: valueIsUsedBefore: 12 0 0 0

CASE(valueChanges, 4) { // two copies, of two values
  ZEROS(e);
  cudaMemcpyToSymbol(setTwice, &seven, 4);
  addVariables<<<1, 1>>>(e, 0, 1, 0);
  cudaMemcpyToSymbol(setTwice, &eight, 4);
  addVariables<<<1, 1>>>(e, 0, 1, 0);
  show(__func__, e);
}
// CHECK: valueChanges: 0 78 0 0

CASE(valueIsNotSet, 2) { // a copy that does not run
  ZEROS(e);
  if (one > 1) cudaMemcpyToSymbol(perhapsSet, &seven, 4);
  addVariables<<<1, 1>>>(e, 0, 0, 1);
  show(__func__, e);
}
// CHECK: valueIsNotSet: 0 0 0 5

__global__ void addToVariable(int *to) { *to += added += 2; }
CASE(valueIsAddedTo, 4) { // a kernel counts on, and the copy starts it anew
  ZEROS(e);
  addToVariable<<<1, 1>>>(e);
  cudaMemcpyToSymbol(added, &eight, 4);
  addToVariable<<<1, 1>>>(e + 1);
  addToVariable<<<1, 1>>>(e + 16);
  cudaMemcpyToSymbol(added, &eight, 4);
  addToVariable<<<1, 1>>>(e + 63);
  show(__func__, e);
}
// CHECK: valueIsAddedTo: 7 10 12 10

__global__ void useRead(int *to) { *to += readBefore; }
CASE(valueIsRead, 4) { // a copy back runs before
  ZEROS(e);
  int h = 0;
  cudaMemcpyFromSymbol(&h, readBefore, 4);
  cudaMemcpyToSymbol(readBefore, &seven, 4);
  useRead<<<1, 1>>>(e + h);
  useRead<<<1, 1>>>(e);
  useRead<<<1, 1>>>(e + h - 4);
  show(__func__, e);
}
// CHECK: valueIsRead: 7 7 0 0

int main(int argc, char **) {
  one = argc;
  variable();
  addressOfVariable();
  partOfVariable();
  copiedBack();
  valueIsUsedBefore();
  valueChanges();
  valueIsNotSet();
  valueIsAddedTo();
  valueIsRead();
}
