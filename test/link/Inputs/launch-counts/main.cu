#include <cuda_runtime.h>
struct Model {
  int rows, columns;
  float scale;
};
// Both launches are alike.
__global__ void alike(float *out, int n) { out[threadIdx.x] = n * 2; }
// Blocks and arguments differ: one launch gets a kernel of its own, if it may.
__global__ void differs(float *out, const float *in, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = in[i] * (i % n) / blockDim.x;
}
// A part of the argument is known, and that its grid has as many blocks in x as
// its blocks have threads in y.
__global__ void part(float *out, Model m) {
  out[threadIdx.x] = m.rows * m.scale + m.columns;
}
// There are bounds of everything.
__global__ void bounded(float *out, unsigned n) { out[threadIdx.x] = n * 3; }
// Launched by way of a handle; nothing is known.
__global__ void unknown(float *out, int n) { out[threadIdx.x] = n * 4; }
// Launched here, with constants, and from where nobody sees.
__global__ void escapes(float *out, int n) { out[threadIdx.x] = n * 5; }
// Launched by code that nothing calls.
__global__ void dead(float *out, int n) { out[threadIdx.x] = n * 6; }
void never(float *out) { dead<<<1, 32>>>(out, 1); }

void *volatile keep;
#include "to_driver.h"
using Kernel = void (*)(float *, int);
__attribute__((noinline)) static void run(Kernel kernel, float *out, int grid, int block, int n) {
  kernel<<<grid, block>>>(out, n);
}
int main(int argc, char **argv) {
  float *out, *in;
  cudaMalloc(&out, 4096);
  cudaMalloc(&in, 4096);
  alike<<<4, 128>>>(out, 7);
  alike<<<4, 128>>>(out, 7);
  differs<<<argc, 64>>>(out, in, 100);
  differs<<<argc, 128>>>(out, in, 200);
  part<<<argc, dim3(16, argc)>>>(out, Model{3, argc, 2.5f});
  unsigned u = argc;
  bounded<<<u % 16 + 1, u % 32 + 1>>>(out, u % 8);
  run(unknown, out, argc, argc, argc);
  escapes<<<1, 32>>>(out, 5);
  keep = (void *)escapes;
  cudaLaunchKernel((void *)keep, argc, argc, nullptr, 0, 0);
  return cudaDeviceSynchronize();
}
