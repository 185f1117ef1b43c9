// Two devices: each has its variables and its memory, and they copy from each other.
#include "cases.h"

__device__ int table[n];
__global__ void addTable(int *to) { to[threadIdx.x] += table[threadIdx.x]; }

CASE(variableOfEach, 4) { // the same variable on the other device is another one
  HOST(h, 1); ZEROS(e);
  cudaMemcpyToSymbol(table, h, size);
  addTable<<<1, n>>>(e);
  cudaDeviceSynchronize();
  HAZARD(cudaSetDevice(1); cudaDeviceEnablePeerAccess(0, 0);)
  cudaMemcpyToSymbol(table, h, size);
  addTable<<<1, n>>>(e);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  show(__func__, e);
}
// CHECK: variableOfEach: 2 4 34 128
// MAYGO: variableOfEach: 2 4 34 128

__constant__ int value = 5;
__global__ void useValue(int *to) { to[threadIdx.x] = 10 * to[threadIdx.x] + value; }
const int seven = 7;
CASE(valueOfEach, 5, 3) { // a copy sets a variable on one device, not on the other
  ZEROS(e);
  cudaMemcpyToSymbol(value, &seven, 4);
  useValue<<<1, n>>>(e);
  cudaDeviceSynchronize();
  HAZARD(cudaSetDevice(1); DEVICE(f); cudaMemset(f, 0, size); useValue<<<1, n>>>(f);
         cudaMemcpyPeer(e, 0, f, 1, 8); cudaSetDevice(0);)
  show(__func__, e);
}
// CHECK: valueOfEach: 5 5 7 7
// MAYGO: valueOfEach: 7 7 7 7

CASE(bufferOfEach, 6) { // one call allocates on both devices
  HOST(h, 1);
  int *d[2], *e[2];
  for (int i = 0; i < 2; ++i) {
    cudaSetDevice(i);
    cudaMalloc(&d[i], size);
    cudaMalloc(&e[i], size);
    cudaMemset(e[i], 0, size);
    COPY_IN(d[i], h);
    add<<<1, n>>>(e[i], d[i]);
  }
  show(__func__, e[1]);
  cudaSetDevice(0);
  show(__func__, e[0]);
}
// CHECK: bufferOfEach: 1 2 17 64
// CHECK: bufferOfEach: 1 2 17 64
// MAYGO: bufferOfEach: 1 2 17 64

CASE(fromPeer, 5) { // a copy from the other device stores to the target
  FIRST;
  HAZARD(cudaSetDevice(1); DEVICE(other); set<<<1, n>>>(other, 9);
         cudaMemcpyPeer(d, 0, other, 1, 8); cudaSetDevice(0);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: fromPeer: 11 13 51 192
// MAYGO: fromPeer: 3 6 51 192

CASE(fromPeerByAddress, 5) { // the same, the devices being known by the addresses
  FIRST;
  HAZARD(cudaSetDevice(1); DEVICE(other); set<<<1, n>>>(other, 9); cudaDeviceSynchronize();
         cudaSetDevice(0); cudaMemcpy(d, other, 8, cudaMemcpyDeviceToDevice);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: fromPeerByAddress: 11 13 51 192
// MAYGO: fromPeerByAddress: 3 6 51 192

CASE(peerStores, 4) { // a kernel of the other device stores to the target
  FIRST;
  cudaDeviceSynchronize();
  HAZARD(cudaSetDevice(1); cudaDeviceEnablePeerAccess(0, 0);
         set<<<1, 2>>>(d, 9); cudaDeviceSynchronize(); cudaSetDevice(0);)
  add<<<1, n>>>(e, d);
  AGAIN;
}
// CHECK: peerStores: 11 13 51 192
// MAYGO: peerStores: 3 6 51 192

CASE(peerReads, 3) { // only a kernel of the other device reads what was copied
  HOST(h, 1); DEVICE(d); ZEROS(e);
  COPY_IN(d, h);
  cudaDeviceSynchronize();
  HAZARD(cudaSetDevice(1); cudaDeviceEnablePeerAccess(0, 0);
         add<<<1, n>>>(e, d); cudaDeviceSynchronize(); cudaSetDevice(0);)
  show(__func__, e);
  cudaFree(d);
}
// CHECK: peerReads: 1 2 17 64
// MAYGO: peerReads: 0 0 0 0

CASE(toPeer, 4) { // only a copy to the other device reads what was copied
  HOST(h, 1); DEVICE(d);
  HAZARD(cudaSetDevice(1);)
  DEVICE(other);
  cudaSetDevice(0);
  COPY_IN(d, h);
  HAZARD(cudaMemcpyPeer(other, 1, d, 0, size);)
  set<<<1, n>>>(d, 3);
  show(__func__, d);
  HAZARD(cudaSetDevice(1); show(__func__, other); cudaSetDevice(0);)
}
// CHECK: toPeer: 3 3 3 3
// CHECK: toPeer: 1 2 17 64
// MAYGO: toPeer: 3 3 3 3

int main(int argc, char **) {
  one = argc;
  variableOfEach();
  valueOfEach();
  bufferOfEach();
  fromPeer();
  fromPeerByAddress();
  peerStores();
  peerReads();
  toPeer();
}
