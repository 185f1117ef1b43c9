#include "all.h"
#define DEFINE(name, value) __global__ void name(float *p, int n) { *p = value + n; }
NAMES(DEFINE)
static Kernel numbered, lockedSlot, swappedSlot, copiedTable[2];
static __attribute__((noinline)) void lock() { __atomic_store_n(&lockedSlot, locked, __ATOMIC_SEQ_CST); }
static float show(float *data) {
  float host;
  cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost);
  return host;
}
int main() {
  float *data;
  volatile int zero = 0, one = 1;
  cudaMalloc(&data, 256);
  float shown[3];
  byAddress(one)<<<1, 1>>>(data, 14);
  printf("compared %d %g\n", byAddress(one) == compared, show(data));
  fromNative(one)<<<1, 1>>>(data, 14);
  shown[0] = show(data);
  Kernel (*volatile pointer)(int) = forNative;
  pointer(zero)<<<1, 1>>>(data, 14);
  printf("native %g %g\n", shown[0], show(data));
  numbered = zero ? nullptr : number;
  unsigned long bits;
  memcpy(&bits, &numbered, 8);
  bits ^= zero;
  Kernel made;
  memcpy(&made, &bits, 8);
  made<<<1, 1>>>(data, 15);
  shown[0] = show(data);
  copiedTable[one] = copied;
  Kernel copies[2];
  memcpy(copies, copiedTable, sizeof copies);
  copies[one]<<<1, 1>>>(data, 15);
  printf("number %g %g\n", shown[0], show(data));
  lock();
  __atomic_load_n(&lockedSlot, __ATOMIC_SEQ_CST)<<<1, 1>>>(data, 15);
  shown[0] = show(data);
  swappedSlot = swapped;
  (*nativeSlot(&swappedSlot))<<<1, 1>>>(data, 15);
  printf("locked %g %g\n", shown[0], show(data));
}
