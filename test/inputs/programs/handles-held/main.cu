#include "plan.h"
#include <cstdio>
__global__ void held(int *out, int value) { out[threadIdx.x] = value | blockDim.x; }
__global__ void second(int *out, int value) { out[threadIdx.x] = value + 2 * blockDim.x; }
template <int N> __global__ void first(int *out, int value) { out[threadIdx.x] = value + blockDim.x; }
__global__ void touched(int *out, int value) { out[threadIdx.x] = value; }
__global__ void kept(int *out, int value) { out[threadIdx.x] = value + 1; }
static int *out;
#include "to_driver.h"
static int read() {
  int value;
  cudaMemcpy(&value, out, sizeof(value), cudaMemcpyDeviceToHost);
  return value;
}
static __attribute__((noinline)) int hold() {
  Plan plan;
  plan.init(held, 32);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&plan.config.blocks, plan.kernel, 32, 0);
  plan.config.blocks = 4;
  int block = width(plan.config);
  plan.kernel<<<1, 32>>>(out, 0);
  return read() + block - 32;
}
template <Kernel One, Kernel Other>
static __attribute__((noinline)) int choose(bool isOther) {
  Plan one, other;
  one.init(One, 64);
  other.init(Other, 64);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&one.config.blocks, one.kernel, 64, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&other.config.blocks, other.kernel, 64, 0);
  one.config.blocks = other.config.blocks = 4;
  int block = width((isOther ? other : one).config);
  launch(isOther ? other.kernel : one.kernel, 64, out, 0);
  return read() + block - 64;
}
static __attribute__((noinline)) int escape() {
  Plan plan;
  plan.init(touched, 32);
  int value = touch(plan);
  plan.kernel<<<1, 32>>>(out, value);
  return read();
}
static __attribute__((noinline)) int escapeForLong() {
  Plan plan;
  plan.init(kept, 32);
  int value = keep(plan);
  kept()->kernel<<<1, 32>>>(out, 6 + value);
  return read();
}
int main(int argc, char **) {
  cudaMalloc(&out, 1024);
  printf("held %d\n", hold());
  printf("choice %d %d\n", choose<first<1>, second>(argc > 1), choose<first<2>, second>(argc > 0));
  int a = escape();
  printf("others %d %d\n", a, escapeForLong());
}
