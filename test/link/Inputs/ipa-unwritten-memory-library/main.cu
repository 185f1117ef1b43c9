#include <cstdio>
#include <cuda_runtime.h>
__global__ void scale(float *out, const float *in) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
float number(int n);
int main(int argc, char **argv) {
  float four[4] = {1, 2, 3, 4}, *in, *out;
  if (number(argc) == 0)
    return 1;
  cudaMalloc(&in, 16);
  cudaMalloc(&out, 16);
  cudaMemcpy(in, four, 16, cudaMemcpyHostToDevice);
  scale<<<1, 4>>>(out, in);
  cudaMemcpy(four, out, 16, cudaMemcpyDeviceToHost);
  printf("scaled %g %g %g %g\n", four[0], four[1], four[2], four[3]);
}
