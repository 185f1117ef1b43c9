#include "check.h"
__device__ int oursStep(int x, unsigned char by) { return x * by; }
__global__ void kernel(int *out) { out[threadIdx.x] = oursStep(threadIdx.x, 5); }
void whole(int *p) {
  kernel<<<1, 4>>>(p);
  show("whole", p, 4);
}
