// --deferred: errors of arguments are those of the call, faults those of the
// call that runs the kernel; after a fault nothing runs, but callbacks are
// told.
// RUN-OPTIONS: --deferred
// ONLY: nvcc clang
// EXPECT: configuration 9, shared memory 1, stream 400, copy 1, fill 1
// EXPECT: launch 0, query 600, wait 700, copy 700, last 700
// EXPECT: callback 700, host function not called, value 0
// EXPECT: after reset 0, value 5
// EXPECT: freed memory 0 700
// EXPECT: free waits: 700
// EXPECT: of a pool it does not: 0 700
// EXPECT-ERR: null pointer: st.global
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int *p, int value) { *p = value; }

static int told = -1, called = 0;
static void CUDART_CB callback(cudaStream_t, cudaError_t error, void *) {
  told = error;
}
static void CUDART_CB hostFunction(void *) { called = 1; }

static void arguments() {
  int *p, word = 0;
  cudaMalloc(&p, 64);
  set<<<1, 2048>>>(p, 1);
  int configuration = cudaGetLastError();
  set<<<1, 1, 1 << 20>>>(p, 1);
  int shared = cudaGetLastError();
  set<<<1, 1, 0, reinterpret_cast<cudaStream_t>(p)>>>(p, 1);
  int stream = cudaGetLastError();
  int copied = cudaMemcpyAsync(p, &word, 4096, cudaMemcpyHostToDevice);
  int filled = cudaMemsetAsync(p, 0, 4096);
  printf("configuration %d, shared memory %d, stream %d, copy %d, fill %d\n",
         configuration, shared, stream, copied, filled);
  cudaGetLastError();
}

int main() {
  arguments();
  int *pinned, word = 0;
  cudaStream_t stream;
  cudaMallocHost(&pinned, sizeof(int));
  *pinned = 0;
  cudaStreamCreate(&stream);
  set<<<1, 1, 0, stream>>>(nullptr, 1);
  int launched = cudaGetLastError();
  set<<<1, 1, 0, stream>>>(pinned, 1);
  cudaStreamAddCallback(stream, callback, nullptr, 0);
  cudaLaunchHostFunc(stream, hostFunction, nullptr);
  int queried = cudaStreamQuery(stream);
  int waited = cudaStreamSynchronize(stream);
  int copied = cudaMemcpy(&word, pinned, sizeof(int), cudaMemcpyDefault);
  printf("launch %d, query %d, wait %d, copy %d, last %d\n", launched, queried,
         waited, copied, cudaGetLastError());
  printf("callback %d, host function %s, value %d\n", told,
         called ? "called" : "not called", *pinned);
  cudaDeviceReset();

  int *p;
  cudaMalloc(&p, sizeof(int));
  set<<<1, 1>>>(p, 5);
  int read = cudaMemcpy(&word, p, sizeof(int), cudaMemcpyDefault);
  printf("after reset %d, value %d\n", read, word);

  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMallocAsync(&p, sizeof(int), stream);
  set<<<1, 1, 0, other>>>(p, 1);
  cudaFreeAsync(p, stream); // Not after that launch.
  int freed = cudaStreamSynchronize(stream);
  printf("freed memory %d %d\n", freed, cudaStreamSynchronize(other));
  cudaDeviceReset();

  cudaMalloc(&p, sizeof(int));
  set<<<1, 1>>>(nullptr, 1);
  printf("free waits: %d\n", cudaFree(p));
  cudaDeviceReset();
  cudaGetLastError();

  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMallocAsync(&p, sizeof(int), stream);
  cudaStreamSynchronize(stream);
  set<<<1, 1, 0, stream>>>(p, 1);
  freed = cudaFree(p);
  printf("of a pool it does not: %d %d\n", freed, cudaStreamSynchronize(stream));
}
