#include "kernels.h"
__global__ void known(int *out, int n, float f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = int(n * f) + i;
}
__global__ void twice(int *out, int n) { if (threadIdx.x < n) out[threadIdx.x % 4] = blockDim.x + n - n; }
__global__ void fields(Params p) { p.out[threadIdx.x] = p.n; }
// The callee's copy is written: its parts are not what the launch passed.
__global__ void changes(Params p) {
  for (int i = 0; i <= threadIdx.x; ++i) ++(&p.n)[i * (p.f > 100)];
  p.out[threadIdx.x] = p.n;
}
__global__ void __launch_bounds__(256, 2) bounded(int *out) { out[threadIdx.x % 4] = blockDim.x; }
