// Launches through the runtime's functions: geometry and the array of arguments
// are recovered where the code before the call determines them.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 -c %s -o %t.o
// RUN: %gpulto dump --symbols --summary %t.o | FileCheck %s
__global__ void kernel(int *p, int n) { p[n] = 1; }
struct Big { int n; long rest[4]; };
__global__ void big(Big b, int *p) { *p = b.n; }

// A handle of a launch does not escape.
// CHECK-NOT: __device_stub__{{.*}} address_taken
// CHECK: host function _Z5plainPiP11CUstream_st
// CHECK: launch {{.*}}kernelPii runtime {{.*}}grid.x=i32 7 grid.y=i32 1 grid.z=i32 1 block.x=i32 64 block.y=i32 2 block.z=i32 1 shared=i64 128 stream=arg1 args=(arg0, i32 5)
void plain(int *p, cudaStream_t stream) {
  int n = 5;
  void *arguments[] = {&p, &n};
  cudaLaunchKernel((void *)kernel, dim3(7), dim3(64, 2), arguments, 128, stream);
}
// CHECK: host function _Z11cooperativePii
// CHECK: launch {{.*}}kernelPii cooperative {{.*}}grid.x=arg1:i32 {{.*}} block.x=i32 32 {{.*}} args=(arg0, arg1:i32)
void cooperative(int *p, int n) {
  void *arguments[] = {&p, &n};
  cudaLaunchCooperativeKernel((void *)kernel, dim3(n), dim3(32), arguments, 0, 0);
}
// CHECK: host function _Z8extendedPi
// CHECK: launch {{.*}}kernelPii runtime_exc {{.*}}grid.x=i32 3 grid.y=i32 1 grid.z=i32 1 block.x=i32 96 block.y=i32 1 block.z=i32 1 shared=i64 16 stream={{[^ ]*}} args=(arg0, i32 11)
void extended(int *p) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(3);
  config.blockDim = dim3(96);
  config.dynamicSmemBytes = 16;
  cudaLaunchKernelEx(&config, kernel, p, 11);
}
// CHECK: host function _Z9aggregatePi
// CHECK: launch {{.*}}big{{.*}} runtime {{.*}} args=({0: i32 3}, arg0)
void aggregate(int *p) {
  Big b;
  b.n = 3;
  void *arguments[] = {&b, &p};
  cudaLaunchKernel((void *)big, dim3(1), dim3(1), arguments, 0, 0);
}
// The array leaves the function: its contents are anybody's.
void fill(void **);
// CHECK: host function _Z6filledPi
// CHECK: launch {{.*}}kernelPii runtime {{.*}} args=(){{$}}
void filled(int *p) {
  int n = 5;
  void *arguments[] = {&p, &n};
  fill(arguments);
  cudaLaunchKernel((void *)kernel, dim3(1), dim3(1), arguments, 0, 0);
}
