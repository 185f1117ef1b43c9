// x and y of a dim3 come in one register: each is followed by itself, also where
// the function changes the other one or stores both at once.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light --cuda-path=%cuda_path -c %s -o %t.o
// RUN: %gpulto dump --summary %t.o | FileCheck %s
#include <cuda_runtime.h>

__global__ void kernel(int *out, int n) { *out = n; }

// CHECK: host function _Z4push4dim3S_Pi:
// CHECK: launch {{.*}} chevron {{.*}} grid.x=arg0:i32 trunc grid.y=(arg0:i64 lshr 32):i32 trunc grid.z=arg1:i32{{.*}} block.x=arg2:i32 trunc block.y=(arg2:i64 lshr 32):i32 trunc block.z=arg3:i32
void push(dim3 grid, dim3 block, int *out) { kernel<<<grid, block>>>(out, 1); }

// CHECK: host function _Z7runtime4dim3S_Pi:
// CHECK: launch {{.*}} runtime {{.*}} grid.x=arg0:i32 trunc grid.y=(arg0:i64 lshr 32):i32 trunc grid.z=arg1:i32 block.x=arg2:i32 trunc block.y=(arg2:i64 lshr 32):i32 trunc block.z=arg3:i32
void runtime(dim3 grid, dim3 block, int *out) {
  int n = 2;
  void *arguments[] = {&out, &n};
  cudaLaunchKernel((void *)kernel, grid, block, arguments, 0, 0);
}

// CHECK: host function _Z6config4dim3S_Pi:
// CHECK: launch {{.*}} runtime_exc {{.*}} grid.x=arg0:i32 trunc grid.y=(arg0:i64 lshr 32):i32 trunc grid.z=arg1:i32 block.x=arg2:i32 trunc block.y=(arg2:i64 lshr 32):i32 trunc block.z=arg3:i32
void config(dim3 grid, dim3 block, int *out) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  cudaLaunchKernelEx(&config, kernel, out, 3);
}

// CHECK: host function _Z5otherj4dim3Pi:
// CHECK: launch {{.*}} block.x=i32 64 block.y=({{.*}}arg1:i64{{.*}} lshr 32):i32 trunc
void other(unsigned n, dim3 block, int *out) {
  block.x = 64;
  kernel<<<n, block>>>(out, 4);
}

// CHECK: host function _Z7swapped4dim3Pi:
// CHECK: launch {{.*}} block.x=(arg0:i64 lshr 32):i32 trunc{{.*}} block.y=arg0:i32 trunc
void swapped(dim3 block, int *out) {
  kernel<<<1, dim3(block.y, block.x)>>>(out, 5);
}

// CHECK: host function _Z7changed4dim3jPi:
// CHECK: launch {{.*}} block.x=arg0:i32 trunc{{.*}} block.y=arg2:i32
void changed(dim3 block, unsigned y, int *out) {
  block.y = y;
  kernel<<<1, block>>>(out, 6);
}

void take(dim3 block);
// CHECK: host function _Z5partsv:
// CHECK: call _Z4take4dim3 {{.*}} args=(({{.*}}):i64 or 16
void parts() {
  int y;
  cudaRuntimeGetVersion(&y);
  take(dim3(16, y));
}
