// Objects of stock clang: the stub has been inlined, so the launch is a call of
// the runtime with a popped configuration; the push before it says which.
// REQUIRES: cuda
// RUN: %clang++ -O2 --cuda-host-only --offload-new-driver -fgpu-rdc -flto=thin --cuda-path=%cuda_path -Wno-unknown-cuda-version -c %s -o %t.bc
// RUN: %gpulto dump --symbols --summary %t.bc | FileCheck %s
__global__ void kernel(int *p, int n) { p[n] = 1; }

// CHECK: function {{.*}}__device_stub__kernelPii
// CHECK: stub_arg 1 from arg1
// CHECK: function _Z6launchPii
// CHECK-NOT: call _Z
// CHECK: launch {{.*}}__device_stub__kernelPii chevron {{.*}}grid.x=i32 3 grid.y=i32 1 grid.z=i32 1 block.x=arg1:i32(in 1..1024) block.y=i32 1 block.z=i32 1 shared=i64 0 stream=null args=(arg0, i32 5)
// CHECK-NOT: launch
// CHECK: variable
void launch(int *p, int n) { kernel<<<3, n>>>(p, 5); }
