// A managed variable exists once for all devices.
// ONLY: nvcc nvcc-rdc
// RUN-OPTIONS: --devices=2
// EXPECT: 5 then 36
// EXPECT: local 3, attributes 3 0
#include <cstdio>
#include <cuda_runtime.h>

__managed__ int value = 5;
static __managed__ int local = 1;

__global__ void change(int by) {
  value += by;
  local += 1;
}

int main() {
  int before = value;
  for (int d = 0; d < 2; ++d) {
    cudaSetDevice(d);
    change<<<1, 1>>>(d ? 30 : 1);
    cudaDeviceSynchronize();
  }
  printf("%d then %d\n", before, value);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, &value);
  printf("local %d, attributes %d %d\n", local, attributes.type,
         attributes.device);
}
