// Geometry and arguments that depend on the caller: formals pass through, and so
// do operations with constants; of everything else there are bounds.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light -c %s -o %t.o
// RUN: %gpulto dump --summary %t.o | FileCheck %s
__global__ void kernel(int *p, int n) { p[n] = 1; }

// CHECK: host function _Z8launchesPiiP11CUstream_st
// CHECK: grid.x=(arg1:i32 add 255):i32 sdiv 256(in 1..8388607) grid.y=i32 1 grid.z=i32 1 block.x=i32 256 {{.*}} shared=((arg1:i64 sext 32):i64 mul 12):i64 add 8 stream=arg2 args=(arg0+40, arg1:i32 add 4294967295)
// CHECK: grid.x=arg1:i32(in 1..1024) grid.y=i32 1 grid.z=i32 1 block.x=i32 32 block.y=arg1:i32(in 1..1024) {{.*}} args=(&local{{[0-9]+}}{0: local{{[0-9]+}} one of{}[{{[0-9]+}}]}(align {{[0-9]+}} nonnull), ((arg1:i32):i32 mul arg1:i32{{.*}}):i32 add 1(in 1..2147483647))
void launches(int *p, int n, cudaStream_t stream) {
  kernel<<<(n + 255) / 256, 256, n * sizeof(int) * 3 + 8, stream>>>(p + 10, n - 1);
  int local[4];
  kernel<<<n, dim3(32, n)>>>(local, n * n + 1);
}

// The frequency of a launch is that of its loop.
// CHECK: host function _Z4loopPii
// CHECK: launch {{.*}} freq {{[1-9][0-9]}} call {{[0-9]+}} grid.x=i32 1
void loop(int *p, int n) {
  for (int i = 0; i < n; ++i)
    kernel<<<1, 64>>>(p, i);
}

// A component that is computed in 64 bits.
// CHECK: host function _Z4widePim
// CHECK: grid.x=((arg1:i64 add 255):i64 lshr 8):i32 trunc grid.y=i32 1
void wide(int *p, size_t n) { kernel<<<(n + 255) / 256, 256>>>(p, 0); }

// Launches in two places are not made one call, whose clone they would have to share.
// CHECK: host function _Z5apartPib
// CHECK: launch {{.*}}kernelPii chevron freq 0.5 call 1 grid.x=i32 1 {{.*}} block.x=i32 64 {{.*}} args=(arg0, i32 3)
// CHECK-NEXT: launch {{.*}}kernelPii chevron freq 0.5 call 3 grid.x=i32 2 {{.*}} block.x=i32 64 {{.*}} args=(arg0, i32 3)
// CHECK-NOT: launch
// CHECK: function
void apart(int *p, bool c) {
  if (c)
    kernel<<<1, 64>>>(p, 3);
  else
    kernel<<<2, 64>>>(p, 3);
}
