// Managed memory: advice is checked and read back.
// EXPECT: none 0 -2
// EXPECT: set 1 0 0
// EXPECT: inner 0
// EXPECT: prefetched -1
// EXPECT: not managed invalid argument
#include <cstdio>
#include <cuda_runtime.h>

static int read(cudaMemRangeAttribute what, const void *p, size_t count) {
  int value = -99;
  cudaMemRangeGetAttribute(&value, sizeof(value), what, p, count);
  return value;
}

int main() {
  char *p, *device;
  cudaMallocManaged(&p, 1 << 16);
  cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0};
  cudaMemLocation cpu = {cudaMemLocationTypeHost, 0};
  printf("none %d %d\n", read(cudaMemRangeAttributeReadMostly, p, 1 << 16),
         read(cudaMemRangeAttributePreferredLocation, p, 1 << 16));
  cudaMemAdvise(p, 1 << 16, cudaMemAdviseSetReadMostly, gpu);
  cudaMemAdvise(p, 1 << 16, cudaMemAdviseSetPreferredLocation, gpu);
  cudaMemAdvise(p, 1 << 16, cudaMemAdviseSetAccessedBy, gpu);
  printf("set %d %d %d\n", read(cudaMemRangeAttributeReadMostly, p, 1 << 16),
         read(cudaMemRangeAttributePreferredLocation, p, 1 << 16),
         read(cudaMemRangeAttributeAccessedBy, p, 1 << 16));
  printf("inner %d\n",
         read(cudaMemRangeAttributePreferredLocation, p + 4096, 4096));
  cudaMemPrefetchAsync(p, 1 << 16, cpu, 0, 0);
  printf("prefetched %d\n",
         read(cudaMemRangeAttributeLastPrefetchLocation, p, 1 << 16));
  cudaMalloc(&device, 64);
  printf("not managed %s\n",
         cudaGetErrorString(
             cudaMemAdvise(device, 64, cudaMemAdviseSetReadMostly, gpu)));
}
