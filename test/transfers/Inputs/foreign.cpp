// Compiled by another compiler: nobody knows what it does.
#include <cstdio>
#include <cuda_runtime_api.h>

extern "C" {
extern int shared[64];
static int *kept;
void foreignStore(int *h) { h[1] = 9; }
void foreignRead(const int *h) { printf("foreignRead: %d %d\n", h[0], h[1]); }
void foreignKeep(int *h) { kept = h; }
void foreignStoreToKept() { kept[1] = 9; }
void foreignReadKept() { printf("foreignReadKept: %d %d\n", kept[0], kept[1]); }
void foreignReadShared() { printf("foreignReadShared: %d %d\n", shared[0], shared[1]); }
void foreignStoreToShared() { shared[1] = 9; }
void foreignFill(int *d) { cudaMemset(d + 1, 0, 4); }
void foreignShow(const int *d) {
  int h[2];
  cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
  printf("foreignShow: %d %d\n", h[0], h[1]);
}
void foreignCall(void (*function)(void *), void *argument) { function(argument); }
}
