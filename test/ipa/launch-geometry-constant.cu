// Launches with constant geometry and arguments: every component is known.
// REQUIRES: cuda
// RUN: %gpulto-clang++ -flto=gpu -O2 --offload-arch=sm_90 %light -c %s -o %t.o
// RUN: %gpulto dump --symbols --summary %t.o | FileCheck %s
__global__ void kernel(int *p, int n, float f) { p[n] = f; }

// CHECK: host symbol [[STUB:.*__device_stub__kernelPiif]]: function external {{.*}} kernel_stub
// CHECK-NOT: symbol [[STUB]]{{.*}} address_taken
// CHECK: host offload kernel _Z6kernelPiif host [[STUB]]{{$}}
// CHECK: host function [[STUB]]
// CHECK: stub_arg 0 from arg0
// CHECK: stub_arg 1 from arg1
// CHECK: stub_arg 2 from arg2
// CHECK: host function _Z8launchesPi
// CHECK: launch [[STUB]] chevron freq 1 call {{[0-9]+}} grid.x=i32 4 grid.y=i32 1 grid.z=i32 1 block.x=i32 256 block.y=i32 1 block.z=i32 1 shared=i64 0 stream=null args=(arg0, i32 100, i32 1069547520)
// CHECK: launch [[STUB]] chevron freq 1 call {{[0-9]+}} grid.x=i32 2 grid.y=i32 3 grid.z=i32 4 block.x=i32 8 block.y=i32 16 block.z=i32 2 shared=i64 1024 stream=null args=(null, i32 7, i32 0)
void launches(int *p) {
  kernel<<<4, 256>>>(p, 100, 1.5f);
  kernel<<<dim3(2, 3, 4), dim3(8, 16, 2), 1024>>>(nullptr, 7, 0);
}
// CHECK: device(sm_90) symbol _Z6kernelPiif: {{.*}} kernel
