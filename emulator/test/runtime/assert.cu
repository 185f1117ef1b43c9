// A failed assertion says where, and makes the error sticky.
// EXPECT: launch no error
// EXPECT: synchronize device-side assert triggered
// EXPECT-ERR: block: \[1,0,0\], thread: \[3,0,0\] Assertion `threadIdx.x < 3` failed
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void check() {
  if (blockIdx.x == 1)
    assert(threadIdx.x < 3);
}

int main() {
  check<<<2, 4>>>();
  printf("launch %s\n", cudaGetErrorString(cudaPeekAtLastError()));
  printf("synchronize %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
