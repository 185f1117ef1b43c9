// Variables of the device that copies set to known values might be set from the start.
#include "cases.h"

#define KERNEL(variable) \
  __global__ void variable##Use(int *to) { to[threadIdx.x] = 10 * to[threadIdx.x] + variable; }
#define VALUE(variable) __constant__ int variable = 5; KERNEL(variable)
#define SET(variable, from) cudaMemcpyToSymbol(variable, &from, sizeof from)
#define USE(variable) variable##Use<<<1, n>>>(e)
static const int seven = 7, eight = 8, sevens[] = {7, 7, 7, 7, 7, 7, 7, 7};

VALUE(early)
CASE(usedBefore, 3, 2) { // a kernel runs before the copy
  ZEROS(e);
  HAZARD(USE(early);)
  SET(early, seven);
  USE(early);
  show(__func__, e);
}
// CHECK: usedBefore: 57 57 57 57
// MAYGO: usedBefore: 7 7 7 7

VALUE(branches)
CASE(setInBranches, 3, 2) { // two values on two paths
  ZEROS(e);
  if (one) SET(branches, seven);
  else SET(branches, HAZARD(eight) OTHERWISE(seven));
  USE(branches);
  show(__func__, e);
}
// CHECK: setInBranches: 7 7 7 7
// MAYGO: setInBranches: 7 7 7 7

VALUE(oneBranch)
CASE(setInOneBranch, 2, 2) { // no copy on one of two paths
  ZEROS(e);
  HAZARD(if (one > 1))
  SET(oneBranch, seven);
  USE(oneBranch);
  show(__func__, e);
}
// CHECK: setInOneBranch: 5 5 5 5
// MAYGO: setInOneBranch: 7 7 7 7

VALUE(unknown)
CASE(valueIsUnknown, 3, 2) { // a value of the run
  ZEROS(e);
  int value = 7;
  HAZARD(value += one;)
  SET(unknown, value);
  USE(unknown);
  show(__func__, e);
}
// CHECK: valueIsUnknown: 8 8 8 8
// MAYGO: valueIsUnknown: 7 7 7 7

VALUE(changing)
CASE(valueChanges, 4, 2) { // a second copy of another value
  ZEROS(e);
  SET(changing, seven);
  USE(changing);
  SET(changing, HAZARD(eight) OTHERWISE(seven));
  USE(changing);
  show(__func__, e);
}
// CHECK: valueChanges: 78 78 78 78
// MAYGO: valueChanges: 77 77 77 77

VALUE(rounds)
CASE(setBehindUse, 3-5, 2) { // the first round of a loop uses it before
  ZEROS(e);
  for (int i = 0; i < 2 + one; ++i) {
    OTHERWISE(SET(rounds, seven);)
    USE(rounds);
    HAZARD(SET(rounds, seven);)
  }
  show(__func__, e);
}
// CHECK: setBehindUse: 577 577 577 577
// MAYGO: setBehindUse: 777 777 777 777

VALUE(tested)
CASE(failureIsTested, 3, 2) { // a kernel runs even if the copy has failed
  ZEROS(e);
  int failed = SET(tested, seven) != cudaSuccess;
  HAZARD(USE(tested);)
  if (failed) return;
  USE(tested);
  show(__func__, e);
}
// CHECK: failureIsTested: 77 77 77 77
// MAYGO: failureIsTested: 7 7 7 7

__device__ int written = 5;
KERNEL(written)
__global__ void write() { written = 6; }
CASE(kernelWrites, 3, 2) { // a kernel writes it
  ZEROS(e);
  SET(written, seven);
  HAZARD(write<<<1, 1>>>();)
  USE(written);
  show(__func__, e);
}
// CHECK: kernelWrites: 6 6 6 6
// MAYGO: kernelWrites: 7 7 7 7

__device__ int taken = 5;
KERNEL(taken)
__global__ void takeAddress(int **to) { *to = &taken; }
__global__ void writeBehind(int **to) { **to += 1; }
CASE(addressIsTaken, 3, 2) { // a kernel leaves its address to another, which writes it
  ZEROS(e);
  SET(taken, seven);
  HAZARD(int **place; cudaMalloc(&place, 8); takeAddress<<<1, 1>>>(place);
         writeBehind<<<1, 1>>>(place);)
  USE(taken);
  show(__func__, e);
}
// CHECK: addressIsTaken: 8 8 8 8
// MAYGO: addressIsTaken: 7 7 7 7

__device__ int pointedTo = 5;
__device__ int *pointer = HAZARD(&pointedTo) OTHERWISE(nullptr);
KERNEL(pointedTo)
__global__ void writePointer() { if (pointer) *pointer = 9; }
CASE(variablePoints, 3, 2) { // another variable of the device has its address
  ZEROS(e);
  SET(pointedTo, seven);
  writePointer<<<1, 1>>>();
  USE(pointedTo);
  show(__func__, e);
}
// CHECK: variablePoints: 9 9 9 9
// MAYGO: variablePoints: 7 7 7 7

extern "C" __device__ int inAssembly = 5;
KERNEL(inAssembly)
__global__ void assembly() { HAZARD(asm volatile("st.global.u32 [inAssembly], 9;" ::: "memory");) }
CASE(assemblyWrites, 3, 2) { // assembly writes it by its name
  ZEROS(e);
  SET(inAssembly, seven);
  assembly<<<1, 1>>>();
  USE(inAssembly);
  show(__func__, e);
}
// CHECK: assemblyWrites: 9 9 9 9
// MAYGO: assemblyWrites: 7 7 7 7

VALUE(byAddress)
CASE(symbolAddress, 4, 2) { // a fill by the address of its symbol
  ZEROS(e);
  SET(byAddress, seven);
  HAZARD(void *address; cudaGetSymbolAddress(&address, byAddress);
         cudaMemset(address, 0, 4);)
  USE(byAddress);
  show(__func__, e);
}
// CHECK: symbolAddress: 0 0 0 0
// MAYGO: symbolAddress: 7 7 7 7

VALUE(passedOn)
NOINLINE void setSymbol(const void *symbol, const int *from) {
  cudaMemcpyToSymbol(symbol, from, 4);
}
CASE(symbolIsPassedOn, 4, 2) { // a function gets its symbol
  ZEROS(e);
  SET(passedOn, seven);
  HAZARD(setSymbol(&passedOn, &eight); NO_TAIL_CALL;)
  USE(passedOn);
  show(__func__, e);
}
// CHECK: symbolIsPassedOn: 8 8 8 8
// MAYGO: symbolIsPassedOn: 7 7 7 7

VALUE(readBack)
CASE(readBefore, 4, 2) { // a copy from it comes before
  ZEROS(e);
  int before = 0;
  HAZARD(cudaMemcpyFromSymbol(&before, readBack, 4);)
  if (before == 5) set<<<1, n>>>(e, 1);
  OTHERWISE(SET(readBack, seven);)
  HAZARD(SET(readBack, seven);)
  USE(readBack);
  show(__func__, e);
}
// CHECK: readBefore: 17 17 17 17
// MAYGO: readBefore: 7 7 7 7

__constant__ int parts[4] = {5, 5, 5, 5};
__global__ void partsUse(int *to) {
  to[threadIdx.x] = 10 * to[threadIdx.x] + parts[0] + parts[1] + parts[2] + parts[3];
}
CASE(setInParts, 4, 2) { // a kernel runs between copies of two parts
  ZEROS(e);
  cudaMemcpyToSymbol(parts, sevens, 8, 8);
  HAZARD(USE(parts);)
  cudaMemcpyToSymbol(parts, sevens, 8);
  USE(parts);
  show(__func__, e);
}
// CHECK: setInParts: 268 268 268 268
// MAYGO: setInParts: 28 28 28 28

__constant__ int onePart[4] = {1, 2, 3, 4};
__global__ void onePartUse(int *to, int i) {
  to[threadIdx.x] = 10 * to[threadIdx.x] + onePart[1] + onePart[i];
}
CASE(setsOnePart, 3, 2) { // which part is known when it runs
  ZEROS(e);
  cudaMemcpyToSymbol(onePart, &seven, 4, HAZARD(8 * one) OTHERWISE(8));
  onePartUse<<<1, n>>>(e, 2 * one);
  show(__func__, e);
}
// CHECK: setsOnePart: 9 9 9 9
// MAYGO: setsOnePart: 9 9 9 9

__constant__ int overlapping[4] = {5, 5, 5, 5};
__global__ void overlappingUse(int *to) {
  to[threadIdx.x] = 10 * to[threadIdx.x] + overlapping[0] + overlapping[1] + overlapping[2];
}
CASE(partsOverlap, 4, 2) { // a copy of a part changes some of what another has set
  ZEROS(e);
  cudaMemcpyToSymbol(overlapping, sevens, 8);
  cudaMemcpyToSymbol(overlapping, HAZARD(&eight) OTHERWISE(sevens + 1), 4, 4);
  USE(overlapping);
  show(__func__, e);
}
// CHECK: partsOverlap: 20 20 20 20
// MAYGO: partsOverlap: 19 19 19 19

VALUE(tooMuch)
CASE(copiesTooMuch, 2-3, 2) { // a copy fails, which nobody asks
  ZEROS(e);
  cudaMemcpyToSymbol(tooMuch, sevens, HAZARD(8) OTHERWISE(4));
  USE(tooMuch);
  cudaGetLastError();
  show(__func__, e);
}
// CHECK: copiesTooMuch: 5 5 5 5
// MAYGO: copiesTooMuch: 7 7 7 7

VALUE(wrongWay)
CASE(copiesTheWrongWay, 2-3, 2) { // the same by its direction
  ZEROS(e);
  cudaMemcpyToSymbol(wrongWay, sevens, 4, 0,
                     HAZARD(cudaMemcpyDeviceToHost) OTHERWISE(cudaMemcpyDefault));
  USE(wrongWay);
  cudaGetLastError();
  show(__func__, e);
}
// CHECK: copiesTheWrongWay: 5 5 5 5
// MAYGO: copiesTheWrongWay: 7 7 7 7

VALUE(recursive)
NOINLINE void launchAgain(int *e, int depth) {
  if (depth > 1) launchAgain(e, depth - 1);
  USE(recursive);
}
CASE(launchedInRecursion, 3) { // functions that call themselves launch before
  ZEROS(e);
  HAZARD(launchAgain(e, 1 + one);)
  SET(recursive, seven);
  launchAgain(e, 1);
  show(__func__, e);
}
// CHECK: launchedInRecursion: 557 557 557 557
// MAYGO: launchedInRecursion: 7 7 7 7

VALUE(calledBack)
NOINLINE void useCalledBack(int *e) { USE(calledBack); }
NOINLINE void useNothing(int *e) { increase<<<1, 1>>>(e); }
CASE(launchedByPointer, 3, 2) { // a function that is called by its address launches before
  ZEROS(e);
  HAZARD(void (*launch[])(int *) = {useNothing, useCalledBack}; launch[one](e);)
  SET(calledBack, seven);
  useCalledBack(e);
  show(__func__, e);
}
// CHECK: launchedByPointer: 57 57 57 57
// MAYGO: launchedByPointer: 7 7 7 7

VALUE(constructed)
static int *inConstructor;
struct Constructed {
  Constructed() {
    HAZARD(cudaMalloc(&inConstructor, size); set<<<1, n>>>(inConstructor, 0);
           constructedUse<<<1, n>>>(inConstructor);)
  }
} constructedFirst;
CASE(constructorLaunches, 3, 2) { // a constructor launches before
  ZEROS(e);
  SET(constructed, seven);
  USE(constructed);
  HAZARD(e = inConstructor;)
  show(__func__, e);
}
// CHECK: constructorLaunches: 5 5 5 5
// MAYGO: constructorLaunches: 7 7 7 7

VALUE(variableSource)
static int source = 7, changed = 7;
CASE(sourceIsAVariable, 3, 2) { // a variable of the host that is written
  ZEROS(e);
  HAZARD(if (one) changed = 8;)
  SET(variableSource, HAZARD(changed) OTHERWISE(source));
  USE(variableSource);
  show(__func__, e);
}
// CHECK: sourceIsAVariable: 8 8 8 8
// MAYGO: sourceIsAVariable: 7 7 7 7

// All types, sources and forms of parts.
struct Mixed { char c; double d; short s; int *p; };
__constant__ Mixed mixed;
__device__ double number = 1;
__constant__ short shorts[3];
__constant__ bool flag;
__device__ unsigned char table[256];
__constant__ float4 four;
__constant__ long long partly[3] = {1, 2, 3};
__global__ void useAll(int *to, int i) {
  to[0] = mixed.c + (int)mixed.d + mixed.s + (mixed.p == nullptr) + 100 * (int)number;
  to[1] = shorts[0] + shorts[i] + flag + table[i] + table[200];
  to[n / 4] = (int)(four.x + four.y * 10 + four.w * 100);
  to[n - 1] = (int)(partly[0] + 10 * partly[i] + 100 * partly[2]);
}
static const unsigned char bytes[256] = {1, 2, 3, 4};
CASE(allTypes, 4-10, 2) {
  ZEROS(e);
  const Mixed m = {1, 2.5, 3, nullptr};
  SET(mixed, m);
  double d = 4;
  SET(number, d);
  short s[3] = {5, 6, 7};
  cudaMemcpyToSymbol(shorts, s, 6);
  bool b = true;
  cudaMemcpyToSymbol(flag, &b, 1, 0, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(table, bytes, 256);
  float4 f = {1, 2, 3, 4};
  SET(four, f);
  long long p = 9;
  SET(partly, p);
  HAZARD(SET(partly, eight);)
  useAll<<<1, 1>>>(e, one);
  show(__func__, e);
}
// CHECK: allTypes: 407 14 421 328
// MAYGO: allTypes: 407 14 421 329

struct Pair { int first, second; };
__constant__ Pair pair, pairByValue;
__constant__ int number1;
__global__ void usePairs(int *to) {
  to[threadIdx.x] = pair.first + 10 * pair.second + 100 * pairByValue.first +
                    1000 * pairByValue.second + 10000 * number1;
}
NOINLINE void setPair(const Pair *from, Pair byValue, int value) {
  SET(pair, *from);
  SET(pairByValue, byValue);
  SET(number1, value);
}
CASE(valuesArePassed, 9, 2) { // a function gets them, in another call others
  ZEROS(e);
  Pair p = {1, 2}, q = {3, 4};
  setPair(&p, q, 5);
  usePairs<<<1, n>>>(e);
  show(__func__, e);
  HAZARD(p.first = q.second = 6; setPair(&p, q, 7); usePairs<<<1, n>>>(e);
         show(__func__, e);)
}
// CHECK: valuesArePassed: 54321 54321 54321 54321
// CHECK: valuesArePassed: 76326 76326 76326 76326
// MAYGO: valuesArePassed: 54321 54321 54321 54321

VALUE(byHandle)
CASE(launchedByHandle, 3, 2) { // a launch by its handle comes before
  ZEROS(e);
  HAZARD(void *arguments[] = {&e};
         cudaLaunchKernel((void *)byHandleUse, dim3(1), dim3(n), arguments, 0, nullptr);)
  SET(byHandle, seven);
  USE(byHandle);
  show(__func__, e);
}
// CHECK: launchedByHandle: 57 57 57 57
// MAYGO: launchedByHandle: 7 7 7 7

int main(int argc, char **) {
  one = argc;
  usedBefore();
  setInBranches();
  setInOneBranch();
  valueIsUnknown();
  valueChanges();
  setBehindUse();
  failureIsTested();
  kernelWrites();
  addressIsTaken();
  variablePoints();
  assemblyWrites();
  symbolAddress();
  symbolIsPassedOn();
  readBefore();
  setInParts();
  setsOnePart();
  partsOverlap();
  copiesTooMuch();
  copiesTheWrongWay();
  launchedInRecursion();
  launchedByPointer();
  constructorLaunches();
  sourceIsAVariable();
  allTypes();
  valuesArePassed();
  launchedByHandle(); // it may launch any kernel
}
