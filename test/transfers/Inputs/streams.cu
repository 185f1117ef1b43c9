// Blocking streams: a copy of the legacy stream that copies nothing new still orders them,
// and waits for them. Something else may order and wait instead.
#include "cases.h"

cudaStream_t s, t; // the legacy stream, in the build without hazards

__global__ void add5(int *to) { to[threadIdx.x] += 5; }

CASE(copyOrders, 5-6, 5) {
  HOST(h, 1); DEVICE(d); ZEROS(e); ZEROS(f);
  COPY_IN(d, h);
  add<<<1, n>>>(f, d);
  add5<<<1, n, 0, s>>>(e);
  COPY_IN(d, h); // `add` is behind `add5` because of it
  add<<<1, n, 0, t>>>(f, e);
  cudaStreamSynchronize(t);
  add<<<1, n>>>(f, d);
  show(__func__, f);
  COPY_OUT(h, e);
  print(__func__, h);
}
// CHECK: copyOrders: 7 9 39 133
// CHECK: copyOrders: 5 5 5 5
// MAYGO: copyOrders: 7 9 39 133

__constant__ int value = 5;
__global__ void useValue(int *to) { to[threadIdx.x] += value; }
static const int seven = 7;
CASE(setInStream, 3) { // a variable is set in a stream
  ZEROS(e);
  add5<<<1, n, 0, s>>>(e);
  cudaMemcpyToSymbolAsync(value, &seven, 4, 0, cudaMemcpyHostToDevice, s);
  useValue<<<1, n, 0, s>>>(e);
  cudaStreamSynchronize(s);
  show(__func__, e);
}
// CHECK: setInStream: 12 12 12 12
// MAYGO: setInStream: 12 12 12 12

CASE(copyOnDeviceOrders, 5-6, 5) { // the same, of a copy for which the host does not wait
  HOST(h, 1); DEVICE(d); DEVICE(other); ZEROS(e); ZEROS(f);
  COPY_IN(other, h);
  cudaMemcpy(d, other, size, cudaMemcpyDeviceToDevice);
  add<<<1, n>>>(f, d);
  add5<<<1, n, 0, s>>>(e);
  cudaMemcpy(d, other, size, cudaMemcpyDeviceToDevice);
  add<<<1, n, 0, t>>>(f, e);
  cudaStreamSynchronize(t);
  add<<<1, n>>>(f, d);
  add<<<1, n>>>(f, other);
  show(__func__, f);
}
// CHECK: copyOnDeviceOrders: 8 11 56 197
// MAYGO: copyOnDeviceOrders: 8 11 56 197

CASE(fillOrders, 4-5) { // the same, of a fill
  DEVICE(d); ZEROS(e); ZEROS(f);
  cudaMemset(d, 0, size);
  add<<<1, n>>>(f, d);
  add5<<<1, n, 0, s>>>(e);
  cudaMemset(d, 0, size);
  add<<<1, n, 0, t>>>(f, e);
  cudaStreamSynchronize(t);
  add<<<1, n>>>(f, d);
  show(__func__, f);
}
// CHECK: fillOrders: 5 5 5 5
// MAYGO: fillOrders: 5 5 5 5

CASE(deadCopyOrders, 4-5, 4) { // the same, of a copy whose target nobody reads
  HOST(h, 1); DEVICE(d); ZEROS(e); ZEROS(f);
  add5<<<1, n, 0, s>>>(e);
  COPY_IN(d, h);
  add<<<1, n, 0, t>>>(f, e);
  cudaStreamSynchronize(t);
  show(__func__, f);
  COPY_OUT(h, e);
  print(__func__, h);
  cudaFree(d);
}
// CHECK: deadCopyOrders: 5 5 5 5
// MAYGO: deadCopyOrders: 5 5 5 5

CASE(copyWaits, 4-5, 4) { // the host reads what a copy has waited for that copies nothing new
  int *pinned;
  cudaMallocHost(&pinned, size);
  FIRST;
  add5<<<1, n, 0, s>>>(e);
  cudaMemcpyAsync(pinned, e, size, cudaMemcpyDeviceToHost, s);
  COPY_IN(d, h);
  print(__func__, pinned);
  add<<<1, n>>>(e, d);
  show(__func__, e);
}
// CHECK: copyWaits: 6 7 22 69
// CHECK: copyWaits: 7 9 39 133
// MAYGO: copyWaits: 6 7 22 69
// MAYGO: copyWaits: 7 9 39 133

CASE(otherStreamStores, 4, 3) { // a kernel of another stream stores to the target
  FIRST;
  HAZARD(set<<<1, 2, 0, s>>>(d, 9);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: otherStreamStores: 11 13 51 192
// MAYGO: otherStreamStores: 3 6 51 192

int main(int argc, char **) {
  one = argc;
  HAZARD(cudaStreamCreate(&s); cudaStreamCreate(&t);)
  copyOrders();
  setInStream();
  copyOnDeviceOrders();
  fillOrders();
  deadCopyOrders();
  copyWaits();
  otherStreamStores();
}
