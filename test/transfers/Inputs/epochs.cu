// Copies that ask whether anybody has written since the last time. Whether somebody does
// depends on `some`, which is known when the program runs: with hazards, in every round.
#include "cases.h"
#include <stdexcept>

int some; // more than any number of rounds with hazards, 0 without
constexpr int rounds = 4;
__constant__ int factors[n];
__global__ void addFactors(int *to) { to[threadIdx.x] += factors[threadIdx.x]; }

// Each case has its own, which is not folded with the others.
template <int of> NOINLINE void upload(int *d, const int *h, size_t bytes) {
  cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
}
template <int of> NOINLINE void uploadAndUse(int *e, int *d, const int *h) {
  upload<of>(d, h, size);
  add<<<1, n>>>(e, d);
}
void change(int *h);         // in epochs.cpp, without CUDA
void changeAndThrow(int *h); // there

CASE(hostStores, 6, 3) {
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    if (i < some) h[1] += 10;
    uploadAndUse<1>(e, d, h);
  }
  show(__func__, e);
}
// CHECK: hostStores: 4 108 68 256
// MAYGO: hostStores: 4 8 68 256

CASE(otherFile, 6, 3) {
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    if (i < some) change(h);
    uploadAndUse<2>(e, d, h);
  }
  show(__func__, e);
}
// CHECK: otherFile: 4 108 68 256
// MAYGO: otherFile: 4 8 68 256

CASE(twoCalls, 6, 3) { // of two functions that copy the same
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds / 2; ++i) {
    uploadAndUse<3>(e, d, h);
    if (i < some) h[1] += 10;
    cudaMemcpy(d, h, size, cudaMemcpyHostToDevice);
    add<<<1, n>>>(e, d);
    if (i < some) h[1] += 10;
  }
  show(__func__, e);
}
// CHECK: twoCalls: 4 68 68 256
// MAYGO: twoCalls: 4 8 68 256

CASE(thrown, 6, 3) { // the store is behind a call that ends by an exception
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    try {
      if (i < some) changeAndThrow(h);
    } catch (const std::runtime_error &) {
    }
    uploadAndUse<4>(e, d, h);
  }
  show(__func__, e);
}
// CHECK: thrown: 4 108 68 256
// MAYGO: thrown: 4 8 68 256

CASE(kernelWrites, 6, 3) {
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    uploadAndUse<5>(e, d, h);
    if (i < some) increase<<<1, n>>>(d);
  }
  show(__func__, e);
}
// CHECK: kernelWrites: 4 8 68 256
// MAYGO: kernelWrites: 4 8 68 256

CASE(otherCopy, 10, 3) {
  HOST(h, 1); HOST(g, 7); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    uploadAndUse<6>(e, d, h);
    if (i < some) {
      COPY_IN(d, g);
      add<<<1, n>>>(e, d);
    }
  }
  show(__func__, e);
}
// CHECK: otherCopy: 32 40 160 536
// MAYGO: otherCopy: 4 8 68 256

CASE(otherFill, 10, 3) {
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    uploadAndUse<7>(e, d, h);
    if (i < some) {
      cudaMemset(d, 0, 8);
      add<<<1, n>>>(e, d);
    }
  }
  show(__func__, e);
}
// CHECK: otherFill: 4 8 136 512
// MAYGO: otherFill: 4 8 68 256

CASE(copiedBack, 10, 4) { // to the source
  HOST(h, 1); DEVICE(d); ZEROS(e); ZEROS(f);
  for (int i = 0; i < rounds; ++i) {
    uploadAndUse<8>(e, d, h);
    if (i < some) {
      increase<<<1, n>>>(f);
      COPY_OUT(h, f);
    }
  }
  show(__func__, e);
}
// CHECK: copiedBack: 7 8 23 70
// MAYGO: copiedBack: 4 8 68 256

CASE(newTarget, 6) { // perhaps where the old one was
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    uploadAndUse<9>(e, d, h);
    if (i < some) {
      cudaFree(d);
      cudaMalloc(&d, size);
    }
  }
  show(__func__, e);
}
// CHECK: newTarget: 4 8 68 256
// MAYGO: newTarget: 4 8 68 256

CASE(newSource, 6, 3) {
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    uploadAndUse<10>(e, d, h);
    if (i < some) {
      free(h);
      h = (int *)malloc(size);
      fill(h, 2);
    }
  }
  show(__func__, e);
}
// CHECK: newSource: 7 11 71 259
// MAYGO: newSource: 4 8 68 256

CASE(libraryWrites, 6, 3) {
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    uploadAndUse<11>(e, d, h);
    if (i < some) sscanf("10", "%d", &h[1]);
  }
  show(__func__, e);
}
// CHECK: libraryWrites: 4 32 68 256
// MAYGO: libraryWrites: 4 8 68 256

CASE(otherArguments, 7, 4) { // more bytes than the last time
  HOST(h, 1); ZEROS(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    upload<12>(d, h, i < some ? 4 * (i + 1) : size);
    add<<<1, n>>>(e, d);
  }
  show(__func__, e);
}
// CHECK: otherArguments: 4 6 0 0
// MAYGO: otherArguments: 4 8 68 256

CASE(fails, 6, 3) {
  HOST(h, 1); ZEROS(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    int *to = d;
    if (i < some) to = nullptr;
    upload<13>(to, h, size);
    upload<13>(d, h, size);
    add<<<1, n>>>(e, d);
  }
  cudaGetLastError();
  show(__func__, e);
}
// CHECK: fails: 4 8 68 256
// MAYGO: fails: 4 8 68 256

NOINLINE void ofLocal(int *e, int *d, int first) {
  int h[n];
  fill(h, first);
  uploadAndUse<14>(e, d, h);
  print("", h);
}
CASE(locals, 6) { // a new variable each time, at the same place
  DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i)
    ofLocal(e, d, i);
  show(__func__, e);
}
// CHECK: locals: 6 10 70 258
// MAYGO: locals: 6 10 70 258

CASE(symbols, 6, 3) {
  HOST(h, 1); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    if (i < some) h[1] += 10;
    cudaMemcpyToSymbol(factors, h, size);
    addFactors<<<1, n>>>(e);
  }
  show(__func__, e);
}
// CHECK: symbols: 4 108 68 256
// MAYGO: symbols: 4 8 68 256

NOINLINE void descend(int *h, int depth) {
  h[1] += 10;
  if (depth) descend(h, depth - 1);
  NO_TAIL_CALL;
}
CASE(recursion, 6, 3) {
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    if (i < some) descend(h, 1);
    uploadAndUse<16>(e, d, h);
  }
  show(__func__, e);
}
// CHECK: recursion: 4 208 68 256
// MAYGO: recursion: 4 8 68 256

int *shared; // known to code that is called by its address
void changeShared() { if (some) shared[1] += 10; }
void (*volatile called)() = changeShared;
CASE(unknownCallee, 6) {
  HOST(h, 1); DEVICE(d); ZEROS(e);
  shared = h;
  for (int i = 0; i < rounds; ++i) {
    called();
    uploadAndUse<17>(e, d, h);
  }
  show(__func__, e);
}
// CHECK: unknownCallee: 4 108 68 256
// MAYGO: unknownCallee: 4 8 68 256

CASE(loopsOfStores, 6, 3) { // in a loop of its own: the record ends before that
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    if (i < some)
      for (int j = 0; j < n; ++j) h[j] += j;
    uploadAndUse<18>(e, d, h);
  }
  show(__func__, e);
}
// CHECK: loopsOfStores: 4 18 228 886
// MAYGO: loopsOfStores: 4 8 68 256

// Of two functions that do the same one is left, where the record of both ends.
template <int of> NOINLINE void storeAndUse(int *e, int *d, int *h) {
  h[1] += 10;
  add<<<1, n>>>(e, d);
}
CASE(folded, 6, 3) {
  HOST(h, 1); DEVICE(d); ZEROS(e);
  for (int i = 0; i < rounds; ++i) {
    COPY_IN(d, h);
    if (i >= some) continue;
    if (i & one)
      storeAndUse<1>(e, d, h);
    else
      storeAndUse<2>(e, d, h);
  }
  show(__func__, e);
}
// CHECK: folded: 4 68 68 256
// MAYGO: folded: 0 0 0 0

int main(int argc, char **) {
  one = argc;
  some = HAZARD(100 * argc) OTHERWISE(argc - 1);
  hostStores();
  otherFile();
  twoCalls();
  thrown();
  kernelWrites();
  otherCopy();
  otherFill();
  copiedBack();
  newTarget();
  newSource();
  libraryWrites();
  otherArguments();
  fails();
  locals();
  symbols();
  recursion();
  unknownCallee();
  loopsOfStores();
  folded();
}
